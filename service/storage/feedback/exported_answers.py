"""What a file of answers has beside the list: reasons with their details, labels and feedback."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import EventKey
from service.storage.database import fetch_rows
from service.storage.feedback.feedback_reading import FeedbackCount, feedback_counts
from service.storage.tables import EVALUATIONS, LABELS

_ROWS, _LABELS = EVALUATIONS.c, LABELS.c
_READ: list[ColumnElement[Any]] = [_ROWS.id, _ROWS.record["reasons"].label("reasons")]
_NOBODY = FeedbackCount(satisfied=0, dissatisfied=0, neither=0)


async def exported_answers(engine: AsyncEngine, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows of a list with their `reasons`, `labels`, newest first, and `feedback`. Raises `StoreUnavailable`."""
    if not rows:
        return []
    places = [(row["occurred_at"], row["id"]) for row in rows]
    query = select(*_READ).where(tuple_(_ROWS.occurred_at, _ROWS.id).in_(places))
    reasons: dict[UUID, Any] = {each["id"]: each["reasons"] for each in await fetch_rows(engine, query)}
    labels = await _labels(engine, {_key(row) for row in rows})
    heard = await feedback_counts(engine, rows)
    return [
        {
            **row,
            "reasons": reasons.get(row["id"]) or [],
            "labels": labels.get(_key(row), []),
            "feedback": heard.get(_key(row), _NOBODY),
        }
        for row in rows
    ]


def _key(row: Mapping[str, Any]) -> EventKey:
    return EventKey(row["tenant"], row["source"], row["event_id"])


async def _labels(engine: AsyncEngine, events: set[EventKey]) -> dict[EventKey, list[dict[str, Any]]]:
    names = (_LABELS.tenant, _LABELS.source, _LABELS.event_id)
    query = select(LABELS).where(tuple_(*names).in_([tuple(each) for each in events]))
    found: dict[EventKey, list[dict[str, Any]]] = {}
    for each in await fetch_rows(engine, query.order_by(_LABELS.labelled_at.desc(), _LABELS.reviewer)):
        found.setdefault(_key(each), []).append(each)
    return found
