"""Rows kept as long as their tenants say: partitions made ahead, rows that are too old deleted, old days dropped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.errors import RefusedByStore, StoreUnavailable
from service.logs import log
from service.storage.database import translated
from service.storage.partitions import (
    OTHER_DAYS,
    PARTITION_LOCK,
    Window,
    make_partition,
    partition_day,
    partitions,
    wait_briefly,
)

_HOUSE_LOCK = 5_317_043
"""Advisory lock that lets one process keep house at a time."""
_BATCH = 5_000
"""Rows deleted in one transaction."""
_MOST_COUNTED = 100_000
_AGAIN_SECONDS = 60.0
"""When it is tried again after a lock was not had or the database was away."""


@dataclass(frozen=True, slots=True)
class Retention:
    """How long rows are kept.

    >>> now = datetime(2026, 11, 21, 9, tzinfo=UTC)
    >>> kept = Retention(days=30, tenants={"bakers": 90, "millers": 7})
    >>> kept.cutoff(30, now).isoformat(), str(kept.droppable(now))
    ('2026-10-22T00:00:00+00:00', '2026-08-23')
    >>> Retention(days=None, tenants={"millers": 7}).droppable(now) is None
    True
    """

    days: int | None
    """Of tenants without a rule of their own; `None` keeps for ever."""
    tenants: Mapping[str, int]
    """Days of each tenant whose rules say."""

    @staticmethod
    def cutoff(days: int, now: datetime) -> datetime:
        """The start of the first day that is kept."""
        today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return today - timedelta(days=days)

    def droppable(self, now: datetime) -> date | None:
        """The first day that anyone keeps: those before can go whole."""
        if self.days is None:
            return None
        return self.cutoff(max(self.days, *self.tenants.values(), self.days), now).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Housekeeping:
    """What was done, and what there is."""

    made: int
    """Partitions made."""
    moved: int
    """Rows moved to the partition of their day."""
    deleted: int
    """Evaluations deleted one by one; those of dropped partitions are not counted."""
    dropped: int
    """Partitions dropped."""
    partitions: int
    """Partitions there are, the one of other days not counted."""
    other_days: int
    """Rows of days without a partition, counted up to 100 000."""


async def keep_house(engine: AsyncEngine, days: int | None, now: datetime) -> Housekeeping | None:
    """Makes partitions, applies retention and counts; `None` where another process is at it.

    Raises `StoreUnavailable`; what was done until then stays done.
    """
    with translated(engine.url):
        async with engine.connect() as guard:
            if not await guard.scalar(text("SELECT pg_try_advisory_lock(:key)"), {"key": _HOUSE_LOCK}):
                return None
            # a lock of the session outlives this transaction, which must not stay open meanwhile
            await guard.commit()
            try:
                return await _keep(engine, days, now)
            finally:
                await guard.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": _HOUSE_LOCK})


async def _keep(engine: AsyncEngine, days: int | None, now: datetime) -> Housekeeping:
    moved = [await make_partition(engine, day) for day in await _lacking(engine, now)]
    retention = Retention(days, await _tenants(engine))
    dropped = await _drop(engine, retention.droppable(now), now)
    deleted = await _expire(engine, retention, now)
    async with engine.connect() as connection:
        there = await partitions(connection)
        others = await connection.scalar(_OTHERS, {"most": _MOST_COUNTED})
    made = [rows for rows in moved if rows is not None]
    return Housekeeping(
        made=len(made), moved=sum(made), deleted=deleted, dropped=dropped, partitions=len(there) - 1, other_days=others
    )


_OTHERS = text(f"SELECT count(*) FROM (SELECT FROM {OTHER_DAYS} LIMIT :most) AS rows")  # noqa: S608 a constant
_STRAYED = text(
    f"SELECT DISTINCT (occurred_at AT TIME ZONE 'UTC')::date FROM {OTHER_DAYS}"  # noqa: S608 a constant
    " WHERE occurred_at >= :first AND occurred_at < :last"
)
_TENANTS = text(
    """
    SELECT tenant, (document ->> 'retention_days')::int AS days FROM (
        SELECT DISTINCT ON (tenant) tenant, document FROM tenant_rules ORDER BY tenant, version DESC
    ) AS newest WHERE document ->> 'retention_days' IS NOT NULL
    """
)


async def _lacking(engine: AsyncEngine, now: datetime) -> list[date]:
    """The days ahead without a partition, and those whose rows stand with other days."""
    window = Window.around(now)
    first = datetime.combine(window.first, datetime.min.time(), UTC)
    last = datetime.combine(window.last, datetime.min.time(), UTC) + timedelta(days=1)
    async with engine.connect() as connection:
        there = {partition_day(name) for name in await partitions(connection)}
        strayed = set(await connection.scalars(_STRAYED, {"first": first, "last": last}))
    return sorted({*window.ahead(now), *strayed} - there)


async def _tenants(engine: AsyncEngine) -> dict[str, int]:
    async with engine.connect() as connection:
        return {row.tenant: row.days for row in await connection.execute(_TENANTS)}


async def _drop(engine: AsyncEngine, before: date | None, now: datetime) -> int:
    """Drops the partitions of days that nobody keeps, and empty ones of days past; returns how many."""
    recent = now.astimezone(UTC).date() - timedelta(days=2)
    async with engine.connect() as connection:
        there = await partitions(connection)
    dropped = 0
    for name in there:
        day = partition_day(name)
        if day is not None and day < recent:
            dropped += await _drop_one(engine, name, whole=before is not None and day < before)
    return dropped


async def _drop_one(engine: AsyncEngine, name: str, *, whole: bool) -> bool:
    async with engine.connect() as connection:
        if not whole and await _holds_rows(connection, name):
            return False
    async with engine.begin() as connection:
        await wait_briefly(connection)
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PARTITION_LOCK})
        # in the order in which writers lock, so that none of them waits for us in a circle
        await connection.execute(text("LOCK TABLE ONLY evaluations IN ACCESS EXCLUSIVE MODE"))
        await connection.execute(text(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE"))
        if not whole and await _holds_rows(connection, name):
            return False
        await connection.execute(text(f"DROP TABLE {name}"))
    return True


async def _holds_rows(connection: AsyncConnection, name: str) -> bool:
    return bool(await connection.scalar(text(f"SELECT EXISTS (SELECT FROM {name})")))  # noqa: S608 a partition's name


async def _expire(engine: AsyncEngine, retention: Retention, now: datetime) -> int:
    """Deletes what its tenant no longer keeps, rows before the keys that guard them; returns how many rows."""
    deleted = 0
    own = list(retention.tenants)
    for tenant, days in retention.tenants.items():
        deleted += await _expire_where(engine, "tenant = :tenant", {"tenant": tenant}, retention.cutoff(days, now))
    if retention.days is not None:
        before = retention.cutoff(retention.days, now)
        deleted += await _expire_where(engine, "tenant <> ALL(CAST(:own AS text[]))", {"own": own}, before)
    return deleted


_BESIDE = (("event_keys", "occurred_at"), ("reference_verdicts", "occurred_at"), ("labels", "labelled_at"))
"""What is kept of an event beside its evaluations, and the time by which it expires."""


async def _expire_where(engine: AsyncEngine, whose: str, values: Mapping[str, object], before: datetime) -> int:
    deleted = 0
    async with engine.connect() as connection:
        there = await partitions(connection)
    for name in there:
        day = partition_day(name)
        if day is None or day < before.date():
            deleted += await _delete(engine, name, f"{whose} AND occurred_at < :before", {**values, "before": before})
    for table, moment in _BESIDE:
        await _delete(engine, table, f"{whose} AND {moment} < :before", {**values, "before": before})
    return deleted


async def _delete(engine: AsyncEngine, table: str, condition: str, values: Mapping[str, object]) -> int:
    """Deletes a bounded number of rows at a time, so that no statement runs into its timeout."""
    statement = text(
        f"DELETE FROM {table} WHERE ctid = ANY(ARRAY("  # noqa: S608 names and conditions of ours
        f"SELECT ctid FROM {table} WHERE {condition} LIMIT {_BATCH}))"
    )
    deleted = 0
    while True:
        async with engine.begin() as connection:
            count = (await connection.execute(statement, values)).rowcount
        deleted += count
        if count < _BATCH:
            return deleted


@asynccontextmanager
async def house_kept(
    engine: AsyncEngine,
    days: int | None,
    told: Callable[[Housekeeping], None],
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    every: float = 3600.0,
) -> AsyncGenerator[None]:
    """While the context is open, house is kept at once and then every `every` seconds; failures are logged."""
    task = asyncio.create_task(_keep_on(engine, days, told, clock, every), name="housekeeping")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _keep_on(
    engine: AsyncEngine,
    days: int | None,
    told: Callable[[Housekeeping], None],
    clock: Callable[[], datetime],
    every: float,
) -> None:
    while True:
        pause = every
        try:
            done = await keep_house(engine, days, clock())
            if done is not None:
                told(done)
                if done.other_days:
                    log.warning("rows_of_other_days", rows=done.other_days)
        except (StoreUnavailable, RefusedByStore) as error:
            log.warning("housekeeping_failed", error=str(error))
            pause = min(every, _AGAIN_SECONDS)
        await asyncio.sleep(pause)
