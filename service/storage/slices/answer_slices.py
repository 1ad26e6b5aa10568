"""Reads the newest answers by slice."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import RowMapping, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.changes import PeriodAnswers
from evals.slices.counts import AgentLoss, Loss, SliceCounts, SliceKind
from evals.slices.significance import LEAST_QUESTIONS
from service.storage.database import translate_errors
from service.storage.slices.statement import slices_statement
from service.storage.sums.reading import AnswerScope

MOST_ANSWERS = 3_000
"""Answers that are read of one period: the newest."""
SECONDS = 15.0
"""Seconds until reading is given up: records of huge queries take long to read."""
_SETTINGS = text(
    "SELECT set_config('statement_timeout', :milliseconds, true), set_config('work_mem', '64MB', true),"
    " set_config('jit', 'off', true)"  # compiling would take longer than the statement
)
_CANCELED = "57014"
"""SQLSTATE of a statement that its timeout ended."""


class SlicesTooSlow(Exception):  # noqa: N818 named beside SearchTooSlow
    """Reading the slices did not end in time."""


async def read_slices(
    engine: AsyncEngine, wanted: AnswerScope, *, most: int = MOST_ANSWERS, seconds: float = SECONDS
) -> PeriodAnswers:
    """The newest scored answers by agent and slice; raises `SlicesTooSlow` and `StoreUnavailable`."""
    conditions, values = _conditions(wanted)
    statement = text(slices_statement(conditions))
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await connection.execute(_SETTINGS, {"milliseconds": str(round(seconds * 1000))})
            try:
                result = await connection.execute(statement, values | {"most": most, "least": LEAST_QUESTIONS})
                found = result.mappings().all()
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) != _CANCELED:
                    raise
                raise SlicesTooSlow(f"the newest {most} answers were not read by slice in {seconds:g} s") from None
    return PeriodAnswers(
        agents=[_agent(row) for row in found if row["value"] is None],
        slices=[_slice(row) for row in found if row["kind"] is not None],
        few=sum(int(row["answers"]) for row in found if row["kind"] is None and row["value"] is not None),
    )


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


def _loss(row: RowMapping) -> Loss:
    return Loss(
        answers=int(row["answers"]),
        questions=int(row["questions"]),
        loss=float(row["loss"]),
        question_loss=float(row["question_loss"]),
        squares=float(row["squares"]),
        cubes=float(row["cubes"]),
    )


def _agent(row: RowMapping) -> AgentLoss:
    first, last = row["first"], row["last"]
    assert isinstance(first, datetime) and isinstance(last, datetime)  # noqa: S101, PT018 an agent has answers
    return AgentLoss(
        tenant=row["tenant"],
        agent=row["agent"],
        all=_loss(row),
        labelled=int(row["labelled"]),
        labelled_wrong=float(row["labelled_wrong"]),
        first=first,
        last=last,
    )


def _slice(row: RowMapping) -> SliceCounts:
    return SliceCounts(
        tenant=row["tenant"],
        agent=row["agent"],
        kind=SliceKind(row["kind"]),
        value=row["value"],
        own=_loss(row),
        labelled=int(row["labelled"]),
        labelled_wrong=float(row["labelled_wrong"]),
        members=row["members"],
        example=row["example"],
    )
