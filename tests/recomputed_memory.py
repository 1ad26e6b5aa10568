"""Checks that the tenants' memory is what the stored rows say, by computing it again from them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import compared_answer
from consumers.wire.events import QueryEvent
from scoring import EVALUATOR_VERSION
from scoring.evaluation import examine
from scoring.memory.agreement import Agreement, agreement
from scoring.memory.decision import weigh_context
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.storage.remembering.remembered_rows import stored_words
from service.storage.tables import EVALUATIONS, REMEMBERED_ANSWERS
from tests.stored_contexts import read_context

_OF_THE_EVENT = ("event", "tenant", "source", "event_id", "agent", "occurred_at", "speaker", "remembered_at")
"""What is remembered of an answer whichever evaluator scored it."""


async def memory_differences(engine: AsyncEngine, *, complete: bool = True) -> list[str]:
    """What the memory holds that rows do not say, or lacks; for rows judged alone under the built-in rules.

    With `complete`, the latest answer of each agent to each question must be there: no tenant is over its bounds.
    What another evaluator computed of a row, only its own code can compute again.
    """
    async with engine.connect() as connection:
        rows = [dict(row) for row in (await connection.execute(select(EVALUATIONS))).mappings() if row["current"]]
        held = {row["event"]: dict(row) for row in (await connection.execute(select(REMEMBERED_ANSWERS))).mappings()}
    # rows of releases before memory have no `p_alone`
    learnt = [row for row in rows if row["p_alone"] is not None and not row["withheld"]]
    expected = {row["event"]: _remembered(row) for row in learnt if not _case(row).ran_nothing}
    ours = {row["event"] for row in rows if row["evaluator_version"] == EVALUATOR_VERSION}
    wrong = [f"no row for remembered event {held[event]['event_id']}" for event in held.keys() - expected.keys()]
    for event, row in held.items():
        for name, value in expected.get(event, {}).items():
            if row[name] != value and (event in ours or name in _OF_THE_EVENT):
                wrong.append(f"{row['event_id']}: {name} is {row[name]!r}, and its row says {value!r}")
    latest: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in sorted(expected.values(), key=lambda each: (each["remembered_at"], each["event"])):
        latest[row["tenant"], row["question_key"], row["speaker"]] = row
    if complete:
        wrong += [f"{row['event_id']} is not remembered" for row in latest.values() if row["event"] not in held]
    in_context = [row for row in rows if row["context"] is not None and row["event"] in ours]
    return wrong + [why for row in in_context for why in _not_reproduced(row)]


def _remembered(row: dict[str, Any]) -> dict[str, Any]:
    case = _case(row)
    asked, facts = compared_answer(case)
    agreed = agreement(read_context(row["context"]).voices) if row["context"] is not None else Agreement(0.0, 0.0)
    same = ("event", "tenant", "source", "event_id", "agent", "occurred_at")
    return {
        **{name: row[name] for name in same},
        "speaker": " ".join(row["agent"].casefold().split()),
        "question_key": asked.key,
        "shape": asked.shape,
        "words": stored_words(asked),
        "specification": facts.specification,
        "filters": facts.filters,
        "tables": list(facts.tables),
        "joins": [column for join in facts.joins for column in join],
        "conditions": list(facts.conditions),
        "raw": agreed.raw,
        "units": agreed.units,
        "remembered_at": row["received_at"],
    }


def _case(row: dict[str, Any]) -> Case:
    fields = {name: row[name] for name in QueryEvent.model_fields if name in row}
    case = examine(QueryEvent.model_validate(fields).query(), Rules())
    assert isinstance(case, Case)
    return case


def _not_reproduced(row: dict[str, Any]) -> list[str]:
    """Whether the answer alone and the stored context give the stored probability again."""
    judge = local_judge()
    alone = judge.judge(_case(row))
    reply = weigh_context(alone, read_context(row["context"]), judge.weights.thresholds)
    stored, again = (row["p_alone"], row["p_correct"]), (alone.p_correct, reply.p_correct)
    return [] if stored == again else [f"{row['event_id']}: {stored} is stored, and its context gives {again}"]
