"""Commands that read or change what is stored: one connection pool, opened for the command and closed after it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import Unavailable
from service.commands.exits import give_up, refuse
from service.settings import Settings
from service.settings.loading import SettingsError, load_settings
from service.storage.database import open_database

Result = TypeVar("Result")


def settings() -> Settings:
    """The process's settings, or the end of the command with the one that is wrong."""
    try:
        return load_settings()
    except SettingsError as error:
        refuse(str(error))


def with_database(work: Callable[[AsyncEngine], Awaitable[Result]]) -> Result:
    """What `work` gives on the configured database, its tables up to date; a database that is down ends the command."""
    configured = settings()

    async def run() -> Result:
        async with open_database(configured) as engine:
            return await work(engine)

    try:
        return asyncio.run(run())
    except SettingsError as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))
