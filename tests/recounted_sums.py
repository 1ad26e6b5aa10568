"""Checks that the sums of reports are what the stored rows say, by counting the rows again."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.sums.keeping import sum_stale_hours
from service.storage.sums.reading import AnswerScope, read_sums

_COUNTED = text(
    """
    SELECT tenant, agent, agent_version, judge, count(*) FILTER (WHERE unscored IS DISTINCT FROM 'NOT_SAMPLED'),
        count(score), coalesce(sum(score), 0),
        coalesce(sum(coalesce(p_alone, p_correct)) FILTER (WHERE score IS NOT NULL), 0)
    FROM evaluations WHERE current GROUP BY 1, 2, 3, 4
    """
)


_FIELDS = ("tenant", "agent", "agent_version", "judge", "received", "scored", "score", "p_alone")


async def sum_differences(engine: AsyncEngine) -> list[str]:
    """What the sums say and rows do not, or the other way round: as they are kept, and after all are made anew."""
    async with engine.connect() as connection:
        rows = {_line(*row) for row in (await connection.execute(_COUNTED)).all()}
    wrong: list[str] = []
    for moment in ("as kept", "made anew"):
        read = await read_sums(engine, AnswerScope(), by_version=True, by_judge=True)
        sums = {_line(*(getattr(each, name) for name in _FIELDS)) for each in read}
        wrong += [f"{moment}, only in sums: {each}" for each in sorted(sums - rows)]
        wrong += [f"{moment}, only in rows: {each}" for each in sorted(rows - sums)]
        await sum_stale_hours(engine)
    return wrong


def _line(*values: object) -> str:
    return " ".join(f"{value:.4f}" if isinstance(value, float) else str(value) for value in values)
