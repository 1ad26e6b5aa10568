"""`sqlassay migrate`: the database's tables at this version, and the partitions of the days to come."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.stored import settings, with_database
from service.storage import database
from service.storage.retention import do_housekeeping


def migrate() -> None:
    """Brings the tables up to date, keeps house once, and prints the revision."""
    days = settings().retention.days

    async def work(engine: AsyncEngine) -> str:
        revision = await database.migrate(engine)
        await do_housekeeping(engine, days, datetime.now(UTC))
        return revision

    print(with_database(work))
