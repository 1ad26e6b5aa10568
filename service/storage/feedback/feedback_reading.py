"""Feedback read back: of one answer, of the answers of a list, or in pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import EventKey
from service.storage.database import fetch_rows
from service.storage.page_cursors import PageCursors
from service.storage.scores.evaluation_pages import RowPage
from service.storage.tables import EVALUATIONS, EVENT_KEYS, FEEDBACK

_GIVEN, _KEYS, _ROWS = FEEDBACK.c, EVENT_KEYS.c, EVALUATIONS.c
_EVENT = ("tenant", "source", "event_id")
_ORDER = (_GIVEN.given_at, _GIVEN.tenant, _GIVEN.feedback_id)
_CURSORS = PageCursors([column.name for column in _ORDER], "feedback")
MOST_SHOWN = 100
"""Newest feedback that the page of an answer shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackCount:
    """How many people are satisfied with an answer, and how many are not."""

    satisfied: int
    dissatisfied: int
    neither: int
    """Who wrote something that says neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackFilter:
    """Which feedback to read; a field left out restricts nothing."""

    tenant: str | None = None
    agent: str | None = None
    event_id: str | None = None
    trace_id: str | None = None
    satisfied: bool | None = None
    since: datetime | None = None
    """Earliest time it was given, inclusive."""
    until: datetime | None = None
    """Latest time it was given, exclusive."""


async def feedback_on(engine: AsyncEngine, event: EventKey) -> list[dict[str, Any]]:
    """The newest feedback on an event's answer; raises `StoreUnavailable`."""
    mine = [_GIVEN[name] == value for name, value in zip(_EVENT, event, strict=True)]
    query = select(FEEDBACK).where(*mine).order_by(_GIVEN.given_at.desc(), _GIVEN.feedback_id).limit(MOST_SHOWN)
    return await fetch_rows(engine, query)


async def feedback_counts(engine: AsyncEngine, rows: Sequence[Mapping[str, Any]]) -> dict[EventKey, FeedbackCount]:
    """How satisfied people are with the answers of some rows; answers without feedback are left out.

    Raises `StoreUnavailable`.
    """
    events = {EventKey(row["tenant"], row["source"], row["event_id"]) for row in rows}
    if not events:
        return {}
    names = [_GIVEN[name] for name in _EVENT]
    counted = (
        select(*names, _GIVEN.satisfied, func.count().label("people"))
        .where(tuple_(*names).in_([tuple(each) for each in events]))
        .group_by(*names, _GIVEN.satisfied)
    )
    found: dict[EventKey, dict[bool | None, int]] = {}
    for row in await fetch_rows(engine, counted):
        key = EventKey(row["tenant"], row["source"], row["event_id"])
        found.setdefault(key, {})[row["satisfied"]] = row["people"]
    return {
        key: FeedbackCount(satisfied=each.get(True, 0), dissatisfied=each.get(False, 0), neither=each.get(None, 0))
        for key, each in found.items()
    }


async def feedback_page(
    engine: AsyncEngine, wanted: FeedbackFilter, *, limit: int = 50, cursor: str | None = None
) -> RowPage:
    """A page of feedback, newest first, each with its event's current evaluation where that is stored.

    Raises `InvalidCursor` and `StoreUnavailable`.
    """
    same_event = and_(*(_GIVEN[name] == _KEYS[name] for name in _EVENT))
    current = and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at)
    answer = ("agent", "agent_version", "question", "sql", "score", "p_correct")
    query = (
        select(FEEDBACK, _KEYS.evaluation_id, *(_ROWS[name] for name in answer))
        .select_from(FEEDBACK.outerjoin(EVENT_KEYS, same_event).outerjoin(EVALUATIONS, current))
        .where(*_conditions(wanted))
        .order_by(*(each.desc() for each in _ORDER))
        .limit(limit + 1)
    )
    if cursor is not None:
        query = query.where(tuple_(*_ORDER) < tuple_(*_CURSORS.read(cursor)))
    rows = await fetch_rows(engine, query)
    more = len(rows) > limit
    return RowPage(rows[:limit], _CURSORS.write(rows[limit - 1]) if more else None)


def _conditions(wanted: FeedbackFilter) -> list[ColumnElement[bool]]:
    equal = {
        _GIVEN.tenant: wanted.tenant,
        _ROWS.agent: wanted.agent,
        _GIVEN.event_id: wanted.event_id,
        _GIVEN.trace_id: wanted.trace_id,
        _GIVEN.satisfied: wanted.satisfied,
    }
    conditions: list[ColumnElement[bool]] = [column == value for column, value in equal.items() if value is not None]
    if wanted.since is not None:
        conditions.append(_GIVEN.given_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_GIVEN.given_at < wanted.until)
    return conditions
