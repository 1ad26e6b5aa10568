"""How large the database is, and by how much it grows a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import translate_errors
from service.storage.partitions import partition_day, partition_names

_DAYS = 7
_SIZES = text(
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
    " WHERE relname = ANY(:names) AND relnamespace = current_schema()::regnamespace"
)
_DATABASE = text("SELECT pg_database_size(current_database())")


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageGrowth:
    """Bytes on the database server's disk, indexes included."""

    database: int
    days: list[tuple[date, int]]
    """The answers of each of the last whole days, oldest first."""

    @property
    def a_day(self) -> float | None:
        """Bytes of the answers of a day, as a mean of those shown; `None` without any."""
        return sum(size for _, size in self.days) / len(self.days) if self.days else None


async def storage_growth(engine: AsyncEngine, now: datetime) -> StorageGrowth:
    """The size of the database and of the last seven whole days of answers (UTC). Raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            wanted = {now.date() - timedelta(days=back) for back in range(1, _DAYS + 1)}
            named = {name: partition_day(name) for name in await partition_names(connection)}
            days = {name: day for name, day in named.items() if day in wanted}
            sizes = (await connection.execute(_SIZES, {"names": list(days)})).all()
            database = int(await connection.scalar(_DATABASE) or 0)
    found = sorted((day, int(size)) for name, size in sizes if (day := days[name]) is not None)
    return StorageGrowth(database=database, days=found)
