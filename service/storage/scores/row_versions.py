"""The rows of one event: one per evaluator, rules version, judge and model, of which one is current."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, FromClause, and_, func, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from consumers.evaluation.event_evaluation import EventKey
from scoring import EVALUATOR_VERSION
from service.storage.tables import EVALUATIONS, EVENT_KEYS

VERSION_COLUMNS = ("event", "occurred_at", "evaluator_version", "rules_version", "judge", "model")
"""Columns that are unique together."""
_ROWS = EVALUATIONS.c
_KEYS = EVENT_KEYS.c


class RowKey(NamedTuple):
    """The primary key of `evaluations`."""

    id: UUID
    occurred_at: datetime


def scored_by(rows: FromClause, judges: Sequence[str], model: str | None) -> list[ColumnElement[bool]]:
    """Conditions for rows with a score by this evaluator and by one of `judges`.

    A score that a model gave counts only if the model is `model`.
    """
    columns = rows.c
    return [
        columns.evaluator_version == EVALUATOR_VERSION,
        func.regexp_replace(columns.judge, r"\+[cr]\d+$", "").in_(judges),
        or_(columns.model.is_(None), columns.model == model),
        columns.fallback.is_(False),
        columns.score.is_not(None),
    ]


async def find_same_versions(connection: AsyncConnection, rows: Sequence[Mapping[str, object]]) -> dict[UUID, RowKey]:
    """Stored rows that have the version columns of one of `rows` but another id, by the id of that one."""
    event = tuple_(_ROWS.event, _ROWS.occurred_at)
    of_events = event.in_([(row["event"], row["occurred_at"]) for row in rows])
    found = await connection.execute(select(_ROWS.id, *(_ROWS[name] for name in VERSION_COLUMNS)).where(of_events))
    stored: dict[tuple[object, ...], RowKey] = {tuple(each[1:]): RowKey(each.id, each.occurred_at) for each in found}
    by_id = {UUID(str(row["id"])): stored.get(tuple(row[name] for name in VERSION_COLUMNS)) for row in rows}
    return {id_: same for id_, same in by_id.items() if same is not None and same.id != id_}


async def make_row_current(connection: AsyncConnection, key: EventKey, row: RowKey) -> None:
    """Makes this row of the event the one that lists and reports read. The transaction must hold the event key."""
    of_event = and_(_ROWS.event == key.digest, _ROWS.occurred_at == row.occurred_at)
    await connection.execute(update(EVALUATIONS).where(of_event, _ROWS.current).values(current=False))
    this_row = and_(_ROWS.id == row.id, _ROWS.occurred_at == row.occurred_at)
    await connection.execute(update(EVALUATIONS).where(this_row).values(current=True))
    its_key = and_(*(_KEYS[name] == value for name, value in zip(key._fields, key, strict=True)))
    await connection.execute(update(EVENT_KEYS).where(its_key).values(evaluation_id=row.id, fillable=False))
