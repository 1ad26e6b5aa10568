"""How many answers match a list's filter, and which reasons they have: both bounded, so that a page stays fast."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, Text, column, func, select, true
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.scores.evaluation_pages import (
    EvaluationFilter,
    SearchTooSlow,
    current_rows,
    fetch_in_time,
    listed_rows,
)
from service.storage.sums.reading import AnswerScope
from service.storage.tables import EVALUATIONS

MOST_COUNTED = 10_000
MOST_READ = 1_000
"""Newest answers whose reasons are counted."""
SECONDS = 0.05
"""Seconds after which a count is given up: the page does without it."""
_ROWS = EVALUATIONS.c


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCount:
    """How many answers match a filter."""

    answers: int
    more: bool
    """Whether there are more than these."""


async def answer_count(
    engine: AsyncEngine, wanted: EvaluationFilter, *, most: int = MOST_COUNTED, seconds: float = SECONDS
) -> AnswerCount | None:
    """How many answers match, up to `most`; `None` where counting takes too long. Raises `StoreUnavailable`."""
    found = select(_ROWS.id).where(*await listed_rows(engine, wanted)).limit(most + 1).subquery("found")
    rows = await _in_time(engine, select(func.count().label("answers")).select_from(found), seconds)
    if rows is None:
        return None
    answers = rows[0]["answers"]
    return AnswerCount(answers=min(answers, most), more=answers > most)


async def reason_counts(
    engine: AsyncEngine, wanted: AnswerScope, *, most: int = MOST_READ, seconds: float = SECONDS
) -> Counter[str]:
    """The reasons of the newest answers in scope; none where counting takes too long. Raises `StoreUnavailable`."""
    scope = EvaluationFilter(**{name: getattr(wanted, name) for name in AnswerScope.__dataclass_fields__})
    newest = (
        select(_ROWS.id, _ROWS.reason_codes)
        .where(*current_rows(scope))
        .order_by(_ROWS.occurred_at.desc(), _ROWS.id.desc())
        .limit(most)
        .subquery("newest")
    )
    codes = func.unnest(newest.c.reason_codes).table_valued(column("code", Text), name="codes").render_derived()
    columns: list[ColumnElement[Any]] = [codes.c.code, func.count(newest.c.id.distinct()).label("answers")]
    counted = select(*columns).select_from(newest.join(codes, true())).group_by(codes.c.code)
    rows = await _in_time(engine, counted, seconds)
    return Counter({row["code"]: row["answers"] for row in rows or ()})


async def _in_time(engine: AsyncEngine, query: Select[Any], seconds: float) -> list[dict[str, Any]] | None:
    try:
        return await fetch_in_time(engine, query, seconds)
    except SearchTooSlow:
        return None
