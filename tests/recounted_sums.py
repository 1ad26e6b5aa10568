"""Checks that the sums of reports are what the stored rows say, by counting the rows again."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.sums.keeping import sum_stale_hours
from service.storage.sums.reading import AnswerScope, read_sums

_COUNTED = text(
    """
    SELECT tenant, agent, agent_version, judge, count(*) FILTER (WHERE unscored IS DISTINCT FROM 'NOT_SAMPLED'),
        count(score), coalesce(sum(score), 0),
        coalesce(sum(coalesce(p_alone, p_correct)) FILTER (WHERE score IS NOT NULL), 0)
    FROM evaluations
    WHERE current AND (CAST(:since AS timestamptz) IS NULL OR occurred_at >= :since)
        AND (CAST(:until AS timestamptz) IS NULL OR occurred_at < :until)
    GROUP BY 1, 2, 3, 4
    """
)

_FIELDS = ("tenant", "agent", "agent_version", "judge", "received", "scored", "score", "p_alone")


async def sum_differences(
    engine: AsyncEngine, since: datetime | None = None, until: datetime | None = None
) -> list[str]:
    """What the sums say and the rows do not, or the other way round."""
    async with engine.connect() as connection:
        counted = (await connection.execute(_COUNTED, {"since": since, "until": until})).all()
    rows = {_line(*row) for row in counted}
    read = await read_sums(engine, AnswerScope(since=since, until=until), by_version=True, by_judge=True)
    sums = {_line(*(getattr(each, name) for name in _FIELDS)) for each in read}
    return [f"only in sums: {each}" for each in sorted(sums - rows)] + [
        f"only in rows: {each}" for each in sorted(rows - sums)
    ]


async def sum_differences_kept_and_anew(engine: AsyncEngine) -> list[str]:
    """The differences as the sums are kept, and after all are made anew."""
    kept = await sum_differences(engine)
    await sum_stale_hours(engine)
    return [f"as kept, {each}" for each in kept] + [f"made anew, {each}" for each in await sum_differences(engine)]


def _line(*values: object) -> str:
    return " ".join(f"{value:.4f}" if isinstance(value, float) else str(value) for value in values)
