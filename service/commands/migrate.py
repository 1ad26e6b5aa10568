"""`sqlassay migrate`: brings the database's tables to this version and creates the coming days' partitions."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from service.commands.command_context import settings, with_database
from service.logs import configure_logs
from service.storage import database
from service.storage.retention import do_housekeeping
from service.storage.scores.search_index import make_search_index


def migrate() -> None:
    """Migrates the tables, runs housekeeping once, and prints the revision."""
    configured = settings()
    configure_logs(configured.log)
    kept = configured.retention

    async def work(engine: AsyncEngine) -> str:
        revision = await database.migrate(engine)
        await do_housekeeping(engine, kept.days, datetime.now(UTC), audit_days=kept.audit_log())
        if configured.database.search_index:
            await make_search_index(engine.url, configured.database)
        return revision

    print(with_database(work))
