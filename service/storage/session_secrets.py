"""The secret with which all processes on one database sign the console's cookies."""

from __future__ import annotations

import secrets

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import translate_errors
from service.storage.tables import SESSION_SECRETS


async def session_secret(engine: AsyncEngine) -> str:
    """The secret, made by the first process that asks; raises `StoreUnavailable`."""
    made = insert(SESSION_SECRETS).values(id=1, secret=secrets.token_urlsafe(48)).on_conflict_do_nothing()
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await connection.execute(made)
            return str(await connection.scalar(select(SESSION_SECRETS.c.secret)))
