"""Makes the sums of hours that changed, and of their days."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.errors import RefusedByStore, StoreUnavailable
from service.background import background_task
from service.logs import log
from service.storage.database import translate_errors
from service.storage.locks import AdvisoryLock, try_lock
from service.storage.sums.statements import KEYS, NUMBERS, sums_of_rows, sums_of_sums

_BATCH = 50
"""Hours of tenants in one transaction."""
# An hour that is not over changes with the next answer: until then its rows are read.
_TAKE = text(
    """
    DELETE FROM stale_hours AS s USING (
        SELECT DISTINCT tenant, hour FROM stale_hours WHERE hour <= CAST(:over AS timestamptz) - interval '1 hour'
        ORDER BY hour, tenant LIMIT :most
    ) AS taken
    WHERE s.tenant = taken.tenant AND s.hour = taken.hour
    RETURNING s.tenant, s.hour
    """
)
# The newest note of an hour stays, so that no change is without one.
_COMPACT = text(
    """
    DELETE FROM stale_hours AS s USING (
        SELECT tenant, hour, max(id) AS newest FROM stale_hours GROUP BY tenant, hour HAVING count(*) > 1
    ) AS kept
    WHERE s.tenant = kept.tenant AND s.hour = kept.hour AND s.id < kept.newest
    """
)
_REMOVE = text("DELETE FROM answer_sums WHERE span = :span AND tenant = :tenant AND start = :start")
_COLUMNS = f"span, start, {KEYS}, {', '.join(NUMBERS)}, histogram"
_ROWS = sums_of_rows("(SELECT CAST(:tenant AS text) AS tenant, CAST(:start AS timestamptz) AS start)", "true")
_HOURS = sums_of_sums(
    f"CAST(:start AS timestamptz) AS start, {KEYS}",
    "answer_sums WHERE span = 'hour' AND tenant = :tenant AND start >= CAST(:start AS timestamptz)"
    " AND start < CAST(:start AS timestamptz) + interval '1 day'",
    KEYS,
)
_ADD = {
    "hour": text(f"INSERT INTO answer_sums ({_COLUMNS}) SELECT :span, * FROM ({_ROWS}) AS summed"),  # noqa: S608 built from constants
    "day": text(f"INSERT INTO answer_sums ({_COLUMNS}) SELECT :span, * FROM ({_HOURS}) AS summed"),  # noqa: S608 built from constants
}


async def sum_stale_hours(engine: AsyncEngine, now: datetime | None = None) -> int:
    """Makes the sums of all noted hours that are over by `now`, or of all; returns how many.

    While another process does so, it returns at once. Raises `StoreUnavailable`.
    """
    over = now or datetime.max.replace(tzinfo=UTC)
    summed = 0
    with translate_errors(engine.url):
        while True:
            async with engine.begin() as connection:
                # until the commit: an older reading must not replace a newer one
                if not await try_lock(connection, AdvisoryLock.SUMS):
                    return summed
                count = await _sum_some(connection, over)
                if count == 0:
                    await connection.execute(_COMPACT)
                    return summed
            summed += count


async def _sum_some(connection: AsyncConnection, over: datetime) -> int:
    # The notes go first: the rows of a note that is gone are committed, and the next statement sees them.
    notes = await connection.execute(_TAKE, {"over": over, "most": _BATCH})
    hours = sorted({(row.tenant, row.hour) for row in notes})
    for tenant, hour in hours:
        # one by one: with the hour at hand, the planner reads one partition by its index
        await _sum_one(connection, "hour", tenant, hour)
    for tenant, day in sorted({(tenant, hour.replace(hour=0)) for tenant, hour in hours}):
        await _sum_one(connection, "day", tenant, day)
    return len(hours)


async def _sum_one(connection: AsyncConnection, span: str, tenant: str, start: datetime) -> None:
    values = {"span": span, "tenant": tenant, "start": start}
    await connection.execute(_REMOVE, values)
    await connection.execute(_ADD[span], values)


@asynccontextmanager
async def summing(
    engine: AsyncEngine, *, clock: Callable[[], datetime] = lambda: datetime.now(UTC), every: float = 60.0
) -> AsyncGenerator[None]:
    """Makes the sums now and then every `every` seconds while the context is open. Failures are logged."""
    async with background_task(_repeat(engine, clock, every), "answer sums"):
        yield


async def _repeat(engine: AsyncEngine, clock: Callable[[], datetime], every: float) -> None:
    while True:
        try:
            await sum_stale_hours(engine, clock())
        except (StoreUnavailable, RefusedByStore) as error:
            log.warning("answer_sums_failed", error=str(error))
        await asyncio.sleep(every)
