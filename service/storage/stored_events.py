"""Stored events scored again: by this evaluator, by other rules or by another judge, beside the rows that stand."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import ColumnElement, and_, func, or_, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.evaluation import Evaluation, EventKey, event_key
from consumers.wire.events import QueryEvent
from scoring import EVALUATOR_VERSION
from scoring.query import UnscoredReason
from service.storage.database import translated
from service.storage.partitions import Partitions
from service.storage.reports import Wanted, conditions
from service.storage.score_store import evaluation_row
from service.storage.tables import EVALUATIONS, EVENT_KEYS
from service.storage.versions import VERSIONS, StoredRow, promote

_ROWS = EVALUATIONS.c
_KEYS = EVENT_KEYS.c
_BATCH = 200
_SAME_EVENT = and_(*(_ROWS[name] == _KEYS[name] for name in ("tenant", "source", "event_id")))


@dataclass(frozen=True, slots=True)
class Stored:
    """An event as it is stored, ready to be scored again."""

    event: QueryEvent
    occurred_at: datetime
    """The time its rows stand under, which the event itself may not name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantShare:
    """How much a tenant has to score again."""

    tenant: str
    events: int
    unsure: int
    """Those whose current score has a confidence below the bar, or that have none."""
    letters: int
    """Of their questions and SQL."""


def scorable(wanted: Wanted) -> list[ColumnElement[bool]]:
    """Which current rows can be scored again: those whose texts are kept and that are in their tenant's sample."""
    sampled = _ROWS.unscored.is_distinct_from(UnscoredReason.NOT_SAMPLED.value)
    return [*conditions(wanted), _ROWS.withheld.is_(False), sampled]


async def shares(engine: AsyncEngine, wanted: Wanted, bar: float) -> list[TenantShare]:
    """What there is to score again, by tenant; raises `StoreUnavailable`."""
    unsure = func.count().filter(or_(_ROWS.confidence.is_(None), _ROWS.confidence < bar))
    length = func.length(_ROWS.question) + func.length(_ROWS.sql)
    letters = func.sum(length + func.coalesce(func.length(_ROWS.enriched_question), 0))
    query = (
        select(_ROWS.tenant, func.count().label("events"), unsure.label("unsure"), letters.label("letters"))
        .where(*scorable(wanted))
        .group_by(_ROWS.tenant)
        .order_by(_ROWS.tenant)
    )
    with translated(engine.url):
        async with engine.connect() as connection:
            rows = (await connection.execute(query)).all()
    return [TenantShare(tenant=row[0], events=row[1], unsure=row[2], letters=int(row[3] or 0)) for row in rows]


async def withheld(engine: AsyncEngine, wanted: Wanted) -> int:
    """How many rows cannot be scored again, for their texts are not kept; raises `StoreUnavailable`."""
    query = select(func.count()).where(*conditions(wanted), _ROWS.withheld)
    with translated(engine.url):
        async with engine.connect() as connection:
            return await connection.scalar(query) or 0


async def stored_events(engine: AsyncEngine, wanted: Wanted) -> AsyncGenerator[list[Stored]]:
    """The events, oldest first, in batches; raises `StoreUnavailable`."""
    # by event, not by row: the current row of an event becomes another one while this goes on
    order = (_ROWS.occurred_at, _ROWS.event)
    query = (
        select(EVALUATIONS, _KEYS.payload_hash)
        .join(EVENT_KEYS, _SAME_EVENT)
        .where(*scorable(wanted))
        .order_by(*order)
        .limit(_BATCH)
    )
    after: tuple[datetime, UUID] | None = None
    while True:
        page = query if after is None else query.where(tuple_(*order) > tuple_(*after))
        with translated(engine.url):
            async with engine.connect() as connection:
                rows = (await connection.execute(page)).mappings().all()
        if not rows:
            return
        after = (rows[-1]["occurred_at"], rows[-1]["event"])
        yield [_stored(dict(row)) for row in rows]


_FIELDS = tuple(name for name in QueryEvent.model_fields if name != "occurred_at")


def _stored(row: Mapping[str, Any]) -> Stored:
    fields = {name: row[name] for name in _FIELDS}
    moment = row["occurred_at"]
    try:
        event = QueryEvent.model_validate({**fields, "occurred_at": moment})
        if event.payload_hash != row["payload_hash"]:
            # the row stands under its record's time, and relative dates must not be anchored there now
            event = QueryEvent.model_validate(fields)
    except ValidationError:
        # an event that an older release took and this one would not
        event = QueryEvent.model_construct(**fields, occurred_at=moment)
    return Stored(event, moment)


async def already_scored(
    engine: AsyncEngine, events: Sequence[Stored], *, rules: Mapping[str, int], judges: Sequence[str], model: str | None
) -> dict[EventKey, StoredRow]:
    """The rows of these with a score by this evaluator, their tenant's version of the rules and one of these judges.

    A score that a model gave counts where it was this one.
    """
    keys = {event_key(each.event).digest: event_key(each.event) for each in events}
    moments = [each.occurred_at for each in events]
    columns = (_ROWS.event, _ROWS.rules_version, _ROWS.tenant, _ROWS.id, _ROWS.occurred_at)
    query = select(*columns).where(
        _ROWS.event.in_(list(keys)),
        _ROWS.occurred_at.between(min(moments), max(moments)),
        _ROWS.evaluator_version == EVALUATOR_VERSION,
        _ROWS.judge.in_(judges),
        or_(_ROWS.model.is_(None), _ROWS.model == model),
        _ROWS.fallback.is_(False),
        _ROWS.score.is_not(None),
    )
    with translated(engine.url):
        async with engine.connect() as connection:
            rows = (await connection.execute(query)).all()
    return {
        keys[row.event]: StoredRow(row.id, row.occurred_at)
        for row in rows
        if rules.get(row.tenant) == row.rules_version
    }


async def make_current(engine: AsyncEngine, rows: Mapping[EventKey, StoredRow]) -> None:
    """These become the rows that lists and reports read; raises `StoreUnavailable`."""
    if not rows:
        return
    with translated(engine.url):
        async with engine.begin() as connection:
            await _lock(connection, sorted(rows))
            for key, row in sorted(rows.items()):
                await promote(connection, key, row)


async def record_again(
    engine: AsyncEngine, partitions: Partitions, evaluations: Sequence[Evaluation], *, now: datetime
) -> set[UUID]:
    """Adds rows beside those that stand; one that is `current` takes their place. Returns the ids of new rows.

    A row by the same evaluator, rules, judge and model is not written twice. Raises `StoreUnavailable` and
    `RefusedByStore`.
    """
    if not evaluations:
        return set()
    await partitions.ensure((each.occurred_at for each in evaluations), now)
    ordered = sorted(evaluations, key=lambda each: each.key)
    with translated(engine.url):
        async with engine.begin() as connection:
            await _lock(connection, [each.key for each in ordered])
            return {each.id for each in ordered if await _add(connection, each)}


async def _lock(connection: AsyncConnection, ordered: Sequence[EventKey]) -> None:
    """Holds the event keys, so that no two say at once which row is current."""
    names = tuple_(_KEYS.tenant, _KEYS.source, _KEYS.event_id)
    mine = select(_KEYS.evaluation_id).where(names.in_([tuple(key) for key in ordered]))
    await connection.execute(mine.order_by(_KEYS.tenant, _KEYS.source, _KEYS.event_id).with_for_update())


async def _add(connection: AsyncConnection, each: Evaluation) -> bool:
    row = evaluation_row(each) | {"current": False}
    new = insert(EVALUATIONS).values(row).on_conflict_do_nothing(index_elements=VERSIONS)
    added = (await connection.execute(new.returning(_ROWS.id))).scalar()
    if each.current:
        same = and_(*(_ROWS[name].is_not_distinct_from(row[name]) for name in VERSIONS))
        id_ = added or (await connection.execute(select(_ROWS.id).where(same))).scalar_one()
        await promote(connection, each.key, StoredRow(id_, each.occurred_at))
    return added is not None
