"""Advisory locks, which let one process at a time do something. PostgreSQL frees them when their connection ends."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from enum import IntEnum, unique
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

_STAY = "SET LOCAL idle_in_transaction_session_timeout = 0"
_TRY_UNTIL_COMMIT = text("SELECT pg_try_advisory_xact_lock(:key)")
_WAIT_UNTIL_COMMIT = text("SELECT pg_advisory_xact_lock(:key)")


@unique
class AdvisoryLock(IntEnum):
    """What one process does at a time. Releases that run side by side must agree on the numbers."""

    MIGRATION = 5_317_041
    PARTITIONS = 5_317_042
    HOUSEKEEPING = 5_317_043
    ALARMS = 5_317_044
    SUMS = 5_317_045
    CALIBRATIONS = 5_317_046
    SEARCH_INDEX = 5_317_047


@asynccontextmanager
async def try_alone(engine: AsyncEngine, lock: AdvisoryLock) -> AsyncGenerator[bool]:
    """Holds the lock while the context is open; `False` if another has it."""
    # a lock of the session would stay with a pooler's connection, so this transaction has it
    async with engine.begin() as guard:
        alone = await try_lock(guard, lock)
        # a statement in one message ends the snapshot of the last, which would hold back VACUUM and CREATE INDEX
        driver: Any = (await guard.get_raw_connection()).driver_connection
        await driver.execute(_STAY)
        yield alone


async def try_lock(connection: AsyncConnection, lock: AdvisoryLock) -> bool:
    """Takes the lock until the transaction ends; `False` if another has it."""
    return bool(await connection.scalar(_TRY_UNTIL_COMMIT, {"key": lock}))


async def wait_for_lock(connection: AsyncConnection, lock: AdvisoryLock) -> None:
    """Waits for the lock and holds it until the transaction ends."""
    await connection.execute(_WAIT_UNTIL_COMMIT, {"key": lock})
