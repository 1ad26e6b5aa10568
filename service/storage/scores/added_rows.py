"""Adds rows for events that are already stored, as a backfill does, and makes them current."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.event_evaluation import Evaluation, EventKey, event_key
from service.storage.database import translate_errors
from service.storage.partitions import Partitions
from service.storage.scores.evaluation_rows import evaluation_row
from service.storage.scores.row_versions import VERSION_COLUMNS, RowKey, make_row_current, scored_by
from service.storage.scores.stored_events import StoredEvent
from service.storage.tables import EVALUATIONS, EVENT_KEYS

_ROWS = EVALUATIONS.c
_KEYS = EVENT_KEYS.c


async def already_scored(
    engine: AsyncEngine,
    events: Sequence[StoredEvent],
    *,
    rules: Mapping[str, int],
    judges: Sequence[str],
    model: str | None,
) -> dict[EventKey, RowKey]:
    """Rows that `scored_by` describes, by their tenant's version in `rules`."""
    keys = {event_key(each.event).digest: event_key(each.event) for each in events}
    moments = [each.occurred_at for each in events]
    columns = (_ROWS.event, _ROWS.rules_version, _ROWS.tenant, _ROWS.id, _ROWS.occurred_at)
    query = select(*columns).where(
        _ROWS.event.in_(list(keys)),
        _ROWS.occurred_at.between(min(moments), max(moments)),
        *scored_by(EVALUATIONS, judges, model),
    )
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            rows = (await connection.execute(query)).all()
    return {
        keys[row.event]: RowKey(row.id, row.occurred_at) for row in rows if rules.get(row.tenant) == row.rules_version
    }


async def make_rows_current(engine: AsyncEngine, rows: Mapping[EventKey, RowKey]) -> None:
    """Makes each row the one of its event that lists and reports read; raises `StoreUnavailable`."""
    if not rows:
        return
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await _lock_keys(connection, sorted(rows))
            for key, row in sorted(rows.items()):
                await make_row_current(connection, key, row)


async def add_rows(
    engine: AsyncEngine, partitions: Partitions, evaluations: Sequence[Evaluation], *, now: datetime
) -> set[UUID]:
    """Adds rows beside the stored ones and makes those current that ask for it. Returns the ids of new rows.

    A row whose version is already stored is not added. Raises `StoreUnavailable` and `RefusedByStore`.
    """
    if not evaluations:
        return set()
    await partitions.ensure((each.occurred_at for each in evaluations), now)
    ordered = sorted(evaluations, key=lambda each: each.key)
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await _lock_keys(connection, [each.key for each in ordered])
            return {each.id for each in ordered if await _add_row(connection, each)}


async def _lock_keys(connection: AsyncConnection, ordered: Sequence[EventKey]) -> None:
    """Locks the event keys, so that no two transactions choose the current row at once."""
    names = tuple_(_KEYS.tenant, _KEYS.source, _KEYS.event_id)
    keys = select(_KEYS.evaluation_id).where(names.in_([tuple(key) for key in ordered]))
    await connection.execute(keys.order_by(_KEYS.tenant, _KEYS.source, _KEYS.event_id).with_for_update())


async def _add_row(connection: AsyncConnection, each: Evaluation) -> bool:
    row = evaluation_row(each) | {"current": False}
    new = insert(EVALUATIONS).values(row).on_conflict_do_nothing(index_elements=VERSION_COLUMNS)
    added = (await connection.execute(new.returning(_ROWS.id))).scalar()
    if each.current:
        same_version = and_(*(_ROWS[name].is_not_distinct_from(row[name]) for name in VERSION_COLUMNS))
        id_ = added or (await connection.execute(select(_ROWS.id).where(same_version))).scalar_one()
        await make_row_current(connection, each.key, RowKey(id_, each.occurred_at))
    return added is not None
