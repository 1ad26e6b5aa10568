"""Looks at the database from outside: whether it can be written, how its clock runs, whether a migration is pending."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import StoreUnavailable
from service.storage.database import translate_errors
from service.storage.migrating import revisions

_STATE = text(
    "SELECT extract(epoch FROM clock_timestamp())::float8 AS moment,"
    " current_setting('transaction_read_only') = 'off' AND NOT pg_is_in_recovery() AS writable,"
    " to_regclass('alembic_version') IS NOT NULL AS migrated"
)
_REVISION = text("SELECT version_num FROM alembic_version")


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseSight:
    """What PostgreSQL said of itself."""

    writable: bool
    """Neither read-only nor a standby."""
    schema_current: bool
    """No migration is pending. Tables that are newer than this version count as current: migrations only add."""
    skew: float
    """Seconds that its clock is ahead of ours."""


async def look_at_database(engine: AsyncEngine, seconds: float, clock: Callable[[], float]) -> DatabaseSight:
    """Asks within `seconds`; raises `StoreUnavailable`. `clock` gives seconds since 1970."""
    revision: object = None
    with translate_errors(engine.url):
        try:
            async with asyncio.timeout(seconds), engine.connect() as connection:
                # the first statement on a new connection would count the time to connect as skew
                await connection.execute(text("SELECT 1"))
                before = clock()
                row = (await connection.execute(_STATE)).one()
                middle = (before + clock()) / 2
                if row.migrated:
                    revision = await connection.scalar(_REVISION)
        except TimeoutError as error:
            raise StoreUnavailable(f"the database gave no answer within {seconds:g} seconds") from error
    return DatabaseSight(
        writable=row.writable, schema_current=_is_current(revision), skew=round(row.moment - middle, 3)
    )


def _is_current(revision: object) -> bool:
    known = revisions()
    return revision == known[0] or (revision is not None and revision not in known)
