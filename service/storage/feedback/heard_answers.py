"""Answers on which users gave feedback, with the labels of the same answers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.labels import LabelValue
from evals.trust.feedback_agreement import HeardAnswer
from service.storage.database import fetch_rows
from service.storage.sums.reading import AnswerScope
from service.storage.tables import EVALUATIONS, EVENT_KEYS, FEEDBACK, LABELS

MOST_HEARD = 2_000
"""The answers with the newest feedback that are read."""
_EVENT = ("tenant", "source", "event_id")
_ROWS, _KEYS, _GIVEN, _LABELS = EVALUATIONS.c, EVENT_KEYS.c, FEEDBACK.c, LABELS.c


async def heard_answers(engine: AsyncEngine, wanted: AnswerScope) -> list[HeardAnswer]:
    """Raises `StoreUnavailable`."""
    names = [_GIVEN[name] for name in _EVENT]
    conditions = [_GIVEN.event_id.is_not(None), _GIVEN.satisfied.is_not(None)]
    conditions += [_GIVEN.tenant == wanted.tenant] if wanted.tenant is not None else []
    heard = (
        select(
            *names,
            func.count().filter(_GIVEN.satisfied.is_(True)).label("satisfied"),
            func.count().filter(_GIVEN.satisfied.is_(False)).label("dissatisfied"),
        )
        .where(*conditions)
        .group_by(*names)
        .order_by(func.max(_GIVEN.given_at).desc())
        .limit(MOST_HEARD)
        .subquery("heard")
    )
    same_key = and_(*(heard.c[name] == _KEYS[name] for name in _EVENT))
    current = and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at)
    same_label = and_(*(heard.c[name] == _LABELS[name] for name in _EVENT))
    labels: list[ColumnElement[Any]] = [
        func.count().filter(_LABELS.label == value.value).label(value.value)
        for value in (LabelValue.RIGHT, LabelValue.WRONG)
    ]
    answer: list[ColumnElement[Any]] = [_ROWS.tenant, _ROWS.agent, heard.c.satisfied, heard.c.dissatisfied]
    equal = {_ROWS.agent: wanted.agent, _ROWS.agent_version: wanted.agent_version}
    scope = [column == value for column, value in equal.items() if value is not None]
    scope += [_ROWS.occurred_at >= wanted.since] if wanted.since is not None else []
    scope += [_ROWS.occurred_at < wanted.until] if wanted.until is not None else []
    query = (
        select(*[*answer, *labels])
        .select_from(heard.join(EVENT_KEYS, same_key).join(EVALUATIONS, current).outerjoin(LABELS, same_label))
        .where(*scope)
        .group_by(*(heard.c[name] for name in _EVENT), *answer)
    )
    return [HeardAnswer(**row) for row in await fetch_rows(engine, query)]
