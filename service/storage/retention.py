"""Creates partitions ahead of time, deletes rows past their tenant's retention and drops old partitions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Protocol

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.errors import RefusedByStore, StoreUnavailable
from service.background import background_task
from service.logs import log
from service.storage.database import translate_errors
from service.storage.locks import AdvisoryLock, try_alone, wait_for_lock
from service.storage.partitions import (
    OTHER_DAYS,
    PartitionDays,
    limit_lock_wait,
    make_partition,
    partition_day,
    partition_names,
)
from service.storage.sums.statements import NOTE

_BATCH = 5_000
"""Rows deleted in one transaction."""
_MOST_COUNTED = 100_000
_RETRY_SECONDS = 60.0
"""Seconds until the next try after a lock timeout or a database outage."""


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
    """Days for tenants whose rules set none; `None` keeps rows for ever."""
    tenants: Mapping[str, int]
    """Days for each tenant whose rules set them."""

    @staticmethod
    def cutoff(days: int, now: datetime) -> datetime:
        """Start of the first day that is kept."""
        today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return today - timedelta(days=days)

    def droppable(self, now: datetime) -> date | None:
        """The first day that any tenant keeps. Partitions of earlier days can be dropped."""
        if self.days is None:
            return None
        return self.cutoff(max(self.days, *self.tenants.values(), self.days), now).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Housekeeping:
    """What one round did, and what it found."""

    made: int
    """Partitions created."""
    moved: int
    """Rows moved to the partition of their day."""
    deleted: int
    """Evaluations deleted, without those in dropped partitions."""
    dropped: int
    """Partitions dropped."""
    partitions: int
    """Existing partitions, without the default one."""
    other_days: int
    """Rows in the default partition, counted up to 100 000."""


class HousekeepingReport(Protocol):
    """Receives the results of the housekeeping."""

    def housekeeping_begun(self) -> None:
        """This process does the housekeeping from now on."""
        ...

    def housekeeping_done(self, done: Housekeeping) -> None:
        """A round ended."""
        ...

    def housekeeping_failed(self) -> None:
        """A round failed."""
        ...


async def do_housekeeping(
    engine: AsyncEngine, days: int | None, now: datetime, *, audit_days: int | None = None
) -> Housekeeping | None:
    """Creates partitions, applies retention and counts. Returns `None` if another process is doing so.

    Without `audit_days` the audit log keeps all changes.

    Raises `StoreUnavailable`, after which finished steps stay done.
    """
    with translate_errors(engine.url):
        async with try_alone(engine, AdvisoryLock.HOUSEKEEPING) as alone:
            if not alone:
                return None
            done = await _do_housekeeping(engine, days, now)
            if audit_days is not None:
                before = Retention.cutoff(audit_days, now)
                await _delete(engine, "audit_log", "at < :before", {"before": before})
            return done


async def _do_housekeeping(engine: AsyncEngine, days: int | None, now: datetime) -> Housekeeping:
    moved = [await make_partition(engine, day) for day in await _missing_days(engine, now)]
    retention = Retention(days, await _days_by_tenant(engine))
    dropped = await _drop(engine, retention.droppable(now), now)
    deleted = await _expire(engine, retention, now)
    async with engine.connect() as connection:
        existing = await partition_names(connection)
        others = await connection.scalar(_COUNT_OTHER_DAYS, {"most": _MOST_COUNTED})
    made = [rows for rows in moved if rows is not None]
    return Housekeeping(
        made=len(made),
        moved=sum(made),
        deleted=deleted,
        dropped=dropped,
        partitions=len(existing) - 1,
        other_days=others,
    )


_COUNT_OTHER_DAYS = text(f"SELECT count(*) FROM (SELECT FROM {OTHER_DAYS} LIMIT :most) AS rows")  # noqa: S608 built from constants
_OTHER_DAYS_NEAR = text(
    f"SELECT DISTINCT (occurred_at AT TIME ZONE 'UTC')::date FROM {OTHER_DAYS}"  # noqa: S608 built from constants
    " WHERE occurred_at >= :first AND occurred_at < :last"
)
_TENANT_DAYS = text(
    """
    SELECT tenant, (document ->> 'retention_days')::int AS days FROM (
        SELECT DISTINCT ON (tenant) tenant, document FROM tenant_rules ORDER BY tenant, version DESC
    ) AS newest WHERE document ->> 'retention_days' IS NOT NULL
    """
)


async def _missing_days(engine: AsyncEngine, now: datetime) -> list[date]:
    """Days ahead without a partition, and near days whose rows are in the default partition."""
    days = PartitionDays.around(now)
    first = datetime.combine(days.first, datetime.min.time(), UTC)
    last = datetime.combine(days.last, datetime.min.time(), UTC) + timedelta(days=1)
    async with engine.connect() as connection:
        existing = {partition_day(name) for name in await partition_names(connection)}
        misplaced = set(await connection.scalars(_OTHER_DAYS_NEAR, {"first": first, "last": last}))
    return sorted({*days.ahead(now), *misplaced} - existing)


async def _days_by_tenant(engine: AsyncEngine) -> dict[str, int]:
    async with engine.connect() as connection:
        return {row.tenant: row.days for row in await connection.execute(_TENANT_DAYS)}


async def _drop(engine: AsyncEngine, before: date | None, now: datetime) -> int:
    """Drops the partitions that no tenant keeps, and empty ones of past days; returns how many."""
    recent = now.astimezone(UTC).date() - timedelta(days=2)
    async with engine.connect() as connection:
        existing = await partition_names(connection)
    dropped = 0
    for name in existing:
        day = partition_day(name)
        if day is not None and day < recent:
            dropped += await _drop_one(engine, name, whole=before is not None and day < before)
    return dropped


async def _drop_one(engine: AsyncEngine, name: str, *, whole: bool) -> bool:
    async with engine.connect() as connection:
        if not whole and await _holds_rows(connection, name):
            return False
    async with engine.begin() as connection:
        await limit_lock_wait(connection)
        await wait_for_lock(connection, AdvisoryLock.PARTITIONS)
        # in the order in which writers lock, so that no deadlock can occur
        await connection.execute(text("LOCK TABLE ONLY evaluations IN ACCESS EXCLUSIVE MODE"))
        await connection.execute(text(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE"))
        if not whole and await _holds_rows(connection, name):
            return False
        await connection.execute(text(f"DROP TABLE {name}"))
        await connection.execute(_DROP_SUMS, {"day": partition_day(name)})
    return True


_DROP_SUMS = text("DELETE FROM answer_sums WHERE (start AT TIME ZONE 'UTC')::date = CAST(:day AS date)")


async def _holds_rows(connection: AsyncConnection, name: str) -> bool:
    return bool(await connection.scalar(text(f"SELECT EXISTS (SELECT FROM {name})")))  # noqa: S608 the name comes from the catalogue


async def _expire(engine: AsyncEngine, retention: Retention, now: datetime) -> int:
    """Deletes expired evaluations, then the event keys that protect them from duplicates; returns how many rows."""
    deleted = 0
    own = list(retention.tenants)
    for tenant, days in retention.tenants.items():
        deleted += await _expire_where(engine, "tenant = :tenant", {"tenant": tenant}, retention.cutoff(days, now))
    if retention.days is not None:
        before = retention.cutoff(retention.days, now)
        deleted += await _expire_where(engine, "tenant <> ALL(CAST(:own AS text[]))", {"own": own}, before)
    return deleted


_OTHER_TABLES = (
    ("event_keys", "occurred_at"),
    ("reference_verdicts", "occurred_at"),
    ("canary_answers", "received_at"),
    ("remembered_answers", "occurred_at"),
    ("watched_answers", "received_at"),
    ("agent_alarms", "answered_at"),
    ("agent_incidents", "over_at"),
    ("labels", "labelled_at"),
    ("past_labels", "labelled_at"),
    ("feedback", "received_at"),
    ("review_items", "occurred_at"),
)
"""The other tables with rows of an event, and the column by which they expire."""


async def _expire_where(engine: AsyncEngine, whose: str, values: Mapping[str, object], before: datetime) -> int:
    deleted = 0
    async with engine.connect() as connection:
        existing = await partition_names(connection)
    for name in existing:
        day = partition_day(name)
        if day is None or day < before.date():
            condition = f"{whose} AND occurred_at < :before"
            deleted += await _delete(engine, name, condition, {**values, "before": before}, stale=True)
    for table, moment in _OTHER_TABLES:
        await _delete(engine, table, f"{whose} AND {moment} < :before", {**values, "before": before})
    return deleted


_NOTED = f"WITH gone AS ({{}} RETURNING tenant, occurred_at), noted AS ({NOTE} gone) SELECT count(*) FROM gone"  # noqa: S608 built from constants


async def _delete(
    engine: AsyncEngine, table: str, condition: str, values: Mapping[str, object], *, stale: bool = False
) -> int:
    """Deletes in bounded batches, so that no statement exceeds its timeout; `stale` notes the hours of the rows.

    The trigger on `evaluations` does not see what is deleted from a partition itself.
    """
    expired = (
        f"DELETE FROM {table} WHERE ctid = ANY(ARRAY("  # noqa: S608 constant names and conditions
        f"SELECT ctid FROM {table} WHERE {condition} LIMIT {_BATCH}))"
    )
    statement = text(_NOTED.format(expired) if stale else expired)
    deleted = 0
    while True:
        async with engine.begin() as connection:
            done = await connection.execute(statement, values)
            count = int(done.scalar_one()) if stale else done.rowcount
        deleted += count
        if count < _BATCH:
            return deleted


@asynccontextmanager
async def housekeeping(
    engine: AsyncEngine,
    days: int | None,
    report: HousekeepingReport,
    *,
    audit_days: int | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    every: float = 3600.0,
) -> AsyncGenerator[None]:
    """Does the housekeeping now and then every `every` seconds while the context is open. Failures are logged."""
    report.housekeeping_begun()
    async with background_task(_repeat(engine, days, audit_days, report, clock, every), "housekeeping"):
        yield


async def _repeat(
    engine: AsyncEngine,
    days: int | None,
    audit_days: int | None,
    report: HousekeepingReport,
    clock: Callable[[], datetime],
    every: float,
) -> None:
    while True:
        pause = every
        try:
            done = await do_housekeeping(engine, days, clock(), audit_days=audit_days)
            if done is not None:
                report.housekeeping_done(done)
                if done.other_days:
                    log.warning("other_days_rows_found", rows=done.other_days)
        except (StoreUnavailable, RefusedByStore) as error:
            log.warning("housekeeping_failed", error=str(error))
            report.housekeeping_failed()
            pause = min(every, _RETRY_SECONDS)
        await asyncio.sleep(pause)
