"""Reads the newest answers by slice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.changes import PeriodAnswers
from evals.slices.counting import SlicedAnswer, count_slices
from service.storage.database import translate_errors
from service.storage.scores.version_begin import times_of_version
from service.storage.slices.statement import newest_answers
from service.storage.sums.reading import AnswerScope

MOST_ANSWERS = 3_000
"""Answers that are read of one period: the newest."""
SECONDS = 15.0
"""Seconds until reading is given up: records whose slices are not stored take long to read."""
_SETTINGS = text(
    "SELECT set_config('statement_timeout', :milliseconds, true),"
    " set_config('jit', 'off', true)"  # compiling would take longer than the statement
)
_CANCELED = "57014"
"""SQLSTATE of a statement that its timeout ended."""


class SlicesTooSlow(Exception):  # noqa: N818 named beside SearchTooSlow
    """Reading the slices did not end in time."""


async def read_slices(
    engine: AsyncEngine,
    wanted: AnswerScope,
    *,
    most: int = MOST_ANSWERS,
    seconds: float = SECONDS,
    rare_causes: bool = False,
) -> PeriodAnswers:
    """The newest scored answers by agent and slice, with `rare_causes` also causes of few questions.

    Raises `SlicesTooSlow` and `StoreUnavailable`.
    """
    conditions, values = _conditions(await times_of_version(engine, wanted))
    statement = text(newest_answers(conditions))
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await connection.execute(_SETTINGS, {"milliseconds": str(round(seconds * 1000))})
            try:
                found = (await connection.execute(statement, values | {"most": most})).all()
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) != _CANCELED:
                    raise
                raise SlicesTooSlow(f"the newest {most} answers were not read by slice in {seconds:g} s") from None
    return await asyncio.to_thread(_counted, found, rare_causes)


def _counted(found: Iterable[Row[Any]], rare_causes: bool) -> PeriodAnswers:
    return count_slices([SlicedAnswer(*row) for row in found], rare_causes=rare_causes)


def _conditions(wanted: AnswerScope) -> tuple[str, dict[str, Any]]:
    said = {
        "tenant": ("tenant = CAST(:tenant AS text)", wanted.tenant),
        "agent": ("agent = CAST(:agent AS text)", wanted.agent),
        "agent_version": ("agent_version = CAST(:agent_version AS text)", wanted.agent_version),
        "since": ("occurred_at >= CAST(:since AS timestamptz)", wanted.since),
        "until": ("occurred_at < CAST(:until AS timestamptz)", wanted.until),
    }
    given = {name: (words, value) for name, (words, value) in said.items() if value is not None}
    conditions = ["current", "score IS NOT NULL", "coalesce(p_alone, p_correct) IS NOT NULL"]
    conditions += [words for words, _ in given.values()]
    return " AND ".join(conditions), {name: value for name, (_, value) in given.items()}
