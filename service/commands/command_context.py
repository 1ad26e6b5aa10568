"""Gives a command the settings and a database connection; settings that are wrong end the command."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from consumers.errors import Unavailable
from consumers.wire.tenants import TENANT_RULE, is_tenant
from service.commands.exits import give_up, refuse
from service.settings.loading import SettingsError, load_model_settings, load_settings
from service.settings.variables import variable_name

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

    from service.settings import Settings
    from service.settings.model_settings import ModelSettings
    from service.settings.stream_settings import KafkaSettings

Result = TypeVar("Result")


def settings() -> Settings:
    """Returns the settings. Ends the command when one is invalid."""
    try:
        return load_settings()
    except SettingsError as error:
        refuse(str(error))


def model_settings() -> ModelSettings:
    """Returns the settings of the judges. Ends the command when any setting is invalid."""
    try:
        return load_model_settings()
    except SettingsError as error:
        refuse(str(error))


def kafka_settings() -> KafkaSettings:
    """Returns the Kafka settings. Ends the command when no broker is configured."""
    kafka = settings().kafka
    if not kafka.bootstrap_servers:
        refuse(f"this command needs Kafka: set {variable_name('kafka', 'bootstrap_servers')}")
    return kafka


def check_tenant(tenant: str) -> None:
    """Ends the command when the name cannot be a tenant's."""
    if not is_tenant(tenant):
        refuse(f"{tenant!r} cannot be a tenant: {TENANT_RULE}")


def with_database(work: Callable[[AsyncEngine], Awaitable[Result]]) -> Result:
    """Runs `work` on the configured database with up-to-date tables. Ends the command when the database is down."""
    # the database's libraries are half of the time that a command takes to start, and most commands use none
    from service.storage.audit import Actor, Via, act_as  # noqa: PLC0415 for the reason above
    from service.storage.database import open_database  # noqa: PLC0415 for the reason above

    configured = settings()

    async def run() -> Result:
        act_as(Actor(name=_account(), via=Via.COMMAND))
        async with open_database(configured) as engine:
            return await work(engine)

    try:
        return asyncio.run(run())
    except SettingsError as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))


def _account() -> str | None:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in some containers
        return None
