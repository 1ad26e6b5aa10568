"""Labels beside what the judge says of their answers."""

from __future__ import annotations

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.labels import LabelValue
from evals.trust.label_agreement import JudgedLabel
from service.storage.database import fetch_rows
from service.storage.sums.reading import AnswerScope
from service.storage.tables import EVALUATIONS, EVENT_KEYS, LABELS

MOST_LABELS = 20_000
"""The newest labels that are read."""
_EVENT = ("tenant", "source", "event_id")
_ROWS, _KEYS, _LABELS = EVALUATIONS.c, EVENT_KEYS.c, LABELS.c
_ALONE = func.coalesce(_ROWS.p_alone, _ROWS.p_correct)


async def reviewer_labels(engine: AsyncEngine, wanted: AnswerScope) -> list[JudgedLabel]:
    """The newest labels that say right or wrong of these answers; raises `StoreUnavailable`."""
    same_event = and_(*(_LABELS[name] == _KEYS[name] for name in _EVENT))
    current = and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at)
    columns = (_LABELS.reviewer, _LABELS.label, _LABELS.sampling_probability, _ROWS.agent)
    query = (
        select(*(_LABELS[name] for name in _EVENT), *columns, _ROWS.judge, _ROWS.evaluator_version, _ALONE.label("p"))
        .select_from(LABELS.join(EVENT_KEYS, same_event).join(EVALUATIONS, current))
        .where(_LABELS.label != LabelValue.UNSURE.value, *_conditions(wanted))
        .order_by(_LABELS.labelled_at.desc())
        .limit(MOST_LABELS)
    )
    return [
        JudgedLabel(
            answer=(row["tenant"], row["source"], row["event_id"]),
            reviewer=row["reviewer"],
            wrong=row["label"] == LabelValue.WRONG.value,
            probability=row["sampling_probability"],
            agent=row["agent"],
            judge=f"{row['judge']}, evaluator {row['evaluator_version']}" if row["judge"] else "",
            p=None if row["p"] is None else float(row["p"]),
        )
        for row in await fetch_rows(engine, query)
    ]


def _conditions(wanted: AnswerScope) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if wanted.tenant is not None:
        conditions.append(_LABELS.tenant == wanted.tenant)
    equal = {_ROWS.agent: wanted.agent, _ROWS.agent_version: wanted.agent_version}
    conditions += [column == value for column, value in equal.items() if value is not None]
    if wanted.since is not None:
        conditions.append(_ROWS.occurred_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_ROWS.occurred_at < wanted.until)
    return conditions
