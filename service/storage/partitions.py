"""A partition of `evaluations` for each day that events come from: made ahead, made for late events, dropped when old.

Only days near today have one. Whatever lies further off, and whatever came before its partition could be made, stands
in the partition of other days: readable like all rows, counted, and moved as soon as its day has a partition.
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
from service.storage.database import translated

OTHER_DAYS = "evaluations_other"
"""The partition of all days that have none of their own."""
AHEAD = 7
"""Days after today that have a partition."""
BACK = 400
"""Days before today that may have one, so that event times cannot make thousands."""
PARTITION_LOCK = 5_317_042
"""Advisory lock that lets one process change partitions at a time."""
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
class Window:
    """The days that have partitions of their own.

    >>> window = Window.around(datetime(2026, 11, 21, 9, tzinfo=UTC), back=2)
    >>> [window.holds(date(2026, 11, day)) for day in (18, 19, 21, 28, 29)]
    [False, True, True, True, False]
    """

    first: date
    last: date

    @staticmethod
    def around(now: datetime, back: int = BACK) -> Window:
        """From `back` days before now to those made ahead."""
        today = now.astimezone(UTC).date()
        return Window(today - timedelta(days=back), today + timedelta(days=AHEAD))

    def holds(self, day: date) -> bool:
        """Whether the day may have a partition."""
        return self.first <= day <= self.last

    def ahead(self, now: datetime) -> list[date]:
        """Yesterday, today and all days after it."""
        start = now.astimezone(UTC).date() - timedelta(days=1)
        return [start + timedelta(days=number) for number in range((self.last - start).days + 1)]


def partition_name(day: date) -> str:
    """A day's partition.

    >>> partition_name(date(2026, 11, 2))
    'evaluations_20261102'
    """
    return f"evaluations_{day:%Y%m%d}"


def partition_day(name: str) -> date | None:
    """The day of a partition, `None` for the one of other days.

    >>> partition_day("evaluations_20261102"), partition_day("evaluations_other")
    (datetime.date(2026, 11, 2), None)
    """
    found = _PARTITION.fullmatch(name)
    return datetime.strptime(found[1], "%Y%m%d").replace(tzinfo=UTC).date() if found and found[1] != "other" else None


def is_declared(name: str | None, kind: str, _parents: object) -> bool:
    """Whether a name in the database is one that a model declares: Alembic's filter, which leaves partitions out.

    >>> is_declared("evaluations", "table", {}), is_declared("evaluations_other", "table", {})
    (True, False)
    """
    return kind != "table" or _PARTITION.fullmatch(name or "") is None


@dataclass(slots=True)
class Partitions:
    """What a process knows of the days there are; knowing too much or too little only puts rows with other days."""

    engine: AsyncEngine
    known: set[date] = field(default_factory=set[date])
    _making: asyncio.Lock = field(default_factory=asyncio.Lock)
    _rest_until: datetime | None = None

    async def ensure(self, moments: Iterable[datetime], now: datetime) -> None:
        """Makes the partitions that rows of these times lack, where it can; never raises for one it cannot make."""
        window = Window.around(now)
        lacking = {moment.astimezone(UTC).date() for moment in moments} - self.known
        wanted = sorted(day for day in lacking if window.holds(day))
        if not wanted or (self._rest_until is not None and now < self._rest_until):
            return
        async with self._making:
            await self._make([day for day in wanted if day not in self.known], now)

    async def _make(self, days: Collection[date], now: datetime) -> None:
        try:
            for day in days:
                await make_partition(self.engine, day)
                self.known.add(day)
        except (StoreUnavailable, RefusedByStore) as error:
            self._rest_until = now + timedelta(minutes=1)
            log.warning("partition_not_made", error=str(error))


async def make_partition(engine: AsyncEngine, day: date) -> int | None:
    """Makes a day's partition and moves its rows there from the one of other days.

    Returns how many were moved, `None` where the partition was there. Raises `StoreUnavailable` where a lock is not
    had in time.
    """
    name = partition_name(day)
    with translated(engine.url):
        async with engine.begin() as connection:
            if await _exists(connection, name):
                return None
            await wait_briefly(connection)
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": PARTITION_LOCK})
            return None if await _exists(connection, name) else await _make(connection, name, day)


async def wait_briefly(connection: AsyncConnection) -> None:
    """Bounds how long the transaction waits for locks, behind which all readers and writers queue."""
    await connection.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_SECONDS}s'"))


async def _exists(connection: AsyncConnection, name: str) -> bool:
    # not to_regclass: what it remembers from before a wait for an advisory lock is not looked up again
    return bool(await connection.scalar(_EXISTS, {"name": name}))


async def _make(connection: AsyncConnection, name: str, day: date) -> int:
    # attached, not created as a partition: that would lock the whole table against writers
    start, end = f"{day} 00:00:00+00", f"{day + timedelta(days=1)} 00:00:00+00"
    await connection.execute(text(f"LOCK TABLE {OTHER_DAYS} IN ACCESS EXCLUSIVE MODE"))
    await connection.execute(text(f"CREATE TABLE {name} (LIKE evaluations INCLUDING ALL)"))
    moved = await connection.execute(
        text(
            f"WITH moved AS (DELETE FROM {OTHER_DAYS} WHERE occurred_at >= '{start}' AND occurred_at < '{end}'"  # noqa: S608 a date of ours
            f" RETURNING *) INSERT INTO {name} SELECT * FROM moved"
        )
    )
    await connection.execute(
        text(f"ALTER TABLE evaluations ATTACH PARTITION {name} FOR VALUES FROM ('{start}') TO ('{end}')")
    )
    return moved.rowcount


async def partitions(connection: AsyncConnection) -> list[str]:
    """The partitions there are, oldest first, the one of other days last."""
    found = await connection.scalars(
        text("SELECT relid::regclass::text FROM pg_partition_tree('evaluations') WHERE isleaf ORDER BY 1")
    )
    return list(found)
