"""The rows of one event: by what no two of them may agree, and which of them is current."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import and_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection

from consumers.evaluation.evaluation import EventKey
from service.storage.tables import EVALUATIONS, EVENT_KEYS

VERSIONS = ("event", "occurred_at", "evaluator_version", "rules_version", "judge", "model")
"""What no two rows may have in common."""
_ROWS = EVALUATIONS.c
_KEYS = EVENT_KEYS.c


class StoredRow(NamedTuple):
    """Where a row stands."""

    id: UUID
    occurred_at: datetime


async def twins(connection: AsyncConnection, rows: Sequence[Mapping[str, object]]) -> dict[UUID, StoredRow]:
    """The rows of others that stand where these would, by the id of the one that would."""
    columns = tuple_(_ROWS.event, _ROWS.occurred_at)
    beside = columns.in_([(row["event"], row["occurred_at"]) for row in rows])
    found = await connection.execute(select(_ROWS.id, *(_ROWS[name] for name in VERSIONS)).where(beside))
    standing: dict[tuple[object, ...], StoredRow] = {
        tuple(each[1:]): StoredRow(each.id, each.occurred_at) for each in found
    }
    wanted = {UUID(str(row["id"])): standing.get(tuple(row[name] for name in VERSIONS)) for row in rows}
    return {id_: twin for id_, twin in wanted.items() if twin is not None and twin.id != id_}


async def promote(connection: AsyncConnection, key: EventKey, row: StoredRow) -> None:
    """This row of the event becomes the one that lists and reports read; its key must be held."""
    mine = and_(_ROWS.event == key.digest, _ROWS.occurred_at == row.occurred_at)
    await connection.execute(update(EVALUATIONS).where(mine, _ROWS.current).values(current=False))
    this = and_(_ROWS.id == row.id, _ROWS.occurred_at == row.occurred_at)
    await connection.execute(update(EVALUATIONS).where(this).values(current=True))
    held = and_(*(_KEYS[name] == value for name, value in zip(key._fields, key, strict=True)))
    await connection.execute(update(EVENT_KEYS).where(held).values(evaluation_id=row.id, fillable=False))
