"""What the tables of answers that wait for a reference verdict share: `event`, `due`, and the verdict's columns."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy import Table, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.references import ReferenceJudged
from service.storage.database import translate_errors

_MOST_COUNTED = 100_000


async def write_verdicts(
    engine: AsyncEngine, table: Table, judged: Sequence[ReferenceJudged]
) -> Sequence[ReferenceJudged]:
    """Writes the verdicts of the answers that still wait, and returns those; no row is made."""
    now = datetime.now(UTC)
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            return [each for each in judged if await _write(connection, table, each, now)]


async def _write(connection: AsyncConnection, table: Table, each: ReferenceJudged, now: datetime) -> bool:
    level = each.finding.level
    statement = (
        update(table)
        .where(table.c.event == each.awaiting.event, table.c.due.is_not(None))
        .values(
            due=None,
            verdict=each.finding.verdict.value,
            level=level.value if level is not None else None,
            record=each.record,
            judged_at=now,
        )
    )
    return (await connection.execute(statement)).rowcount > 0


async def count_waiting(engine: AsyncEngine, table: Table) -> int:
    """How many answers wait, counted up to a hundred thousand."""
    waiting = select(table.c.event).where(table.c.due.is_not(None)).limit(_MOST_COUNTED).subquery()
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            return await connection.scalar(select(func.count()).select_from(waiting)) or 0
