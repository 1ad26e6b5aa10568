"""One partition of `evaluations` per day of event time, created ahead of time or when a late event arrives.

Only days near today have one. Rows of other days, and rows that arrive before their partition exists, go to a default
partition. They can be read like all others, are counted, and move as soon as their day has a partition.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.errors import RefusedByStore, StoreUnavailable
from service.logs import log
from service.storage.database import translate_errors
from service.storage.locks import AdvisoryLock, wait_for_lock

OTHER_DAYS = "evaluations_other"
"""The default partition, for days without one of their own."""
AHEAD = 7
"""Days after today with a partition."""
BACK = 400
"""Days before today that may have a partition: a bound, so that wrong event times cannot create thousands."""
_LOCK_SECONDS = 3
_EXISTS = text(
    """
    SELECT EXISTS (
        SELECT FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'evaluations'::regclass AND relname = :name
    )
    """
)
_PARTITION = re.compile(r"evaluations_(\d{8}|other)")


@dataclass(frozen=True, slots=True)
class PartitionDays:
    """The days that may have a partition.

    >>> days = PartitionDays.around(datetime(2026, 11, 21, 9, tzinfo=UTC), back=2)
    >>> [days.holds(date(2026, 11, day)) for day in (18, 19, 21, 28, 29)]
    [False, True, True, True, False]
    """

    first: date
    last: date

    @staticmethod
    def around(now: datetime, back: int = BACK) -> PartitionDays:
        """From `back` days before now to `AHEAD` days after it."""
        today = now.astimezone(UTC).date()
        return PartitionDays(today - timedelta(days=back), today + timedelta(days=AHEAD))

    def holds(self, day: date) -> bool:
        """Whether the day may have a partition."""
        return self.first <= day <= self.last

    def ahead(self, now: datetime) -> list[date]:
        """Yesterday, today and the days after it."""
        start = now.astimezone(UTC).date() - timedelta(days=1)
        return [start + timedelta(days=number) for number in range((self.last - start).days + 1)]


def partition_name(day: date) -> str:
    """The name of a day's partition.

    >>> partition_name(date(2026, 11, 2))
    'evaluations_20261102'
    """
    return f"evaluations_{day:%Y%m%d}"


def partition_day(name: str) -> date | None:
    """The day of a partition; `None` for the default partition.

    >>> partition_day("evaluations_20261102"), partition_day("evaluations_other")
    (datetime.date(2026, 11, 2), None)
    """
    found = _PARTITION.fullmatch(name)
    return datetime.strptime(found[1], "%Y%m%d").replace(tzinfo=UTC).date() if found and found[1] != "other" else None


def is_declared(name: str | None, kind: str, _parents: object) -> bool:
    """Alembic's filter of database names, which leaves out partitions because no model declares them.

    >>> is_declared("evaluations", "table", {}), is_declared("evaluations_other", "table", {})
    (True, False)
    """
    return kind != "table" or _PARTITION.fullmatch(name or "") is None


@dataclass(slots=True)
class Partitions:
    """Creates missing partitions and remembers the known ones.

    If it remembers wrongly, rows go to the default partition and nothing is lost.
    """

    engine: AsyncEngine
    known: set[date] = field(default_factory=set[date])
    _making: asyncio.Lock = field(default_factory=asyncio.Lock)
    _retry_at: datetime | None = None

    async def ensure(self, moments: Iterable[datetime], now: datetime) -> None:
        """Creates the missing partitions of these times. A failure is logged and retried after a minute, not raised."""
        days = PartitionDays.around(now)
        lacking = {moment.astimezone(UTC).date() for moment in moments} - self.known
        wanted = sorted(day for day in lacking if days.holds(day))
        if not wanted or (self._retry_at is not None and now < self._retry_at):
            return
        async with self._making:
            await self._make([day for day in wanted if day not in self.known], now)

    async def _make(self, days: Collection[date], now: datetime) -> None:
        try:
            for day in days:
                await make_partition(self.engine, day)
                self.known.add(day)
        except (StoreUnavailable, RefusedByStore) as error:
            self._retry_at = now + timedelta(minutes=1)
            log.warning("partition_creation_failed", error=str(error))


async def make_partition(engine: AsyncEngine, day: date) -> int | None:
    """Creates a day's partition and moves the day's rows there from the default partition.

    Returns how many rows moved, or `None` if the partition already existed. Raises `StoreUnavailable` if a lock is not
    granted in time.
    """
    name = partition_name(day)
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            if await _exists(connection, name):
                return None
            await limit_lock_wait(connection)
            await wait_for_lock(connection, AdvisoryLock.PARTITIONS)
            return None if await _exists(connection, name) else await _make(connection, name, day)


async def limit_lock_wait(connection: AsyncConnection) -> None:
    """Limits how long this transaction waits for locks, because readers and writers queue behind it."""
    await connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))


async def _exists(connection: AsyncConnection, name: str) -> bool:
    # not to_regclass: it would answer from a cache filled before the wait for the advisory lock
    return bool(await connection.scalar(_EXISTS, {"name": name}))


async def _make(connection: AsyncConnection, name: str, day: date) -> int:
    # created apart and then attached: CREATE TABLE … PARTITION OF would block all writers
    start, end = f"{day} 00:00:00+00", f"{day + timedelta(days=1)} 00:00:00+00"
    # the lock that attaching takes comes first: others who lock the table take it before its partitions
    await connection.execute(text("LOCK TABLE ONLY evaluations IN SHARE UPDATE EXCLUSIVE MODE"))
    await connection.execute(text(f"LOCK TABLE {OTHER_DAYS} IN ACCESS EXCLUSIVE MODE"))
    await connection.execute(text(f"CREATE TABLE {name} (LIKE evaluations INCLUDING ALL)"))
    moved = await connection.execute(
        text(
            f"WITH moved AS (DELETE FROM {OTHER_DAYS} WHERE occurred_at >= '{start}' AND occurred_at < '{end}'"  # noqa: S608 built from a date
            f" RETURNING *) INSERT INTO {name} SELECT * FROM moved"
        )
    )
    await connection.execute(
        text(f"ALTER TABLE evaluations ATTACH PARTITION {name} FOR VALUES FROM ('{start}') TO ('{end}')")
    )
    return moved.rowcount


async def partition_names(connection: AsyncConnection) -> list[str]:
    """The existing partitions, oldest first, the default partition last."""
    found = await connection.scalars(
        text("SELECT relid::regclass::text FROM pg_partition_tree('evaluations') WHERE isleaf ORDER BY 1")
    )
    return list(found)
