"""What users say of the answers of agents with labels: an opinion on each, and how many have praise or complaints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, ScalarSelect, Select, and_, case, func, select

from service.storage.tables import EVALUATIONS, EVENT_KEYS, FEEDBACK

_GIVEN, _KEYS, _ROWS = FEEDBACK.c, EVENT_KEYS.c, EVALUATIONS.c
_EVENT = ("tenant", "source", "event_id")
_LEAD: ColumnElement[Any] = func.coalesce(func.sign(func.sum(case((_GIVEN.satisfied, 1), else_=-1))), 0)
"""1 where more users are satisfied than not, -1 the other way round, 0 for as many or none."""


def opinion_on(event: FromClause) -> ScalarSelect[Any]:
    """The users' opinion of each of some events, looked up one by one: labels are few."""
    same = [_GIVEN[name] == event.c[name] for name in _EVENT]
    return select(_LEAD).where(*same, _GIVEN.satisfied.is_not(None)).correlate(event).scalar_subquery()


def opinion_counts(
    who: Sequence[ColumnElement[Any]], tenants: Collection[str], answers: Sequence[ColumnElement[bool]]
) -> Select[Any]:
    """By `who`, how many of the `answers` of these tenants more users complain of than praise, and the reverse."""
    event = [_GIVEN[name] for name in _EVENT]
    said = _GIVEN.satisfied.is_not(None), _GIVEN.event_id.is_not(None), _GIVEN.tenant.in_(tenants)
    opinions = select(*event, _LEAD.label("opinion")).where(*said).group_by(*event).subquery("opinions")
    counts = [
        func.count().filter(condition).label(name)
        for name, condition in (("complained", opinions.c.opinion < 0), ("praised", opinions.c.opinion > 0))
    ]
    joined = opinions.join(EVENT_KEYS, and_(*(opinions.c[name] == _KEYS[name] for name in _EVENT))).join(
        EVALUATIONS, and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at)
    )
    return select(*who, *counts).select_from(joined).where(*answers).group_by(*who)
