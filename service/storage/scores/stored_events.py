"""Reads stored events back so that they can be scored again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy import ColumnElement, and_, func, or_, select, true, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.events import QueryEvent
from scoring.query import UnscoredReason
from service.storage.database import fetch_rows, translate_errors
from service.storage.scores.evaluation_pages import EvaluationFilter, current_rows
from service.storage.scores.row_versions import scored_by
from service.storage.tables import EVALUATIONS, EVENT_KEYS

_ROWS = EVALUATIONS.c
_KEYS = EVENT_KEYS.c
_BATCH = 200
_SAME_EVENT = and_(*(_ROWS[name] == _KEYS[name] for name in ("tenant", "source", "event_id")))
_NOT_STORED = {"occurred_at", "parameters", "canary"}
"""Fields that a row has not, or has under its own time."""
_EVENT_FIELDS = tuple(name for name in QueryEvent.model_fields if name not in _NOT_STORED)


class StoredRow(NamedTuple):
    """Which row is current for an event, and who judged it."""

    id: UUID
    received_at: datetime
    judge: str | None
    evaluator_version: str
    rules_version: int


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An event as it is stored, ready to be scored again."""

    event: QueryEvent
    occurred_at: datetime
    """The time of its rows, which may be its record's and not the event's own."""
    row: StoredRow
    """Its current row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantWorkload:
    """How much of a tenant there is to score again."""

    tenant: str
    events: int
    unsure: int
    """New events whose current score has a confidence below the bar, or that have no score."""
    letters: int
    """Total length of the new events' questions and SQL."""
    already: int = 0
    """Events that are not new: a score of the wanted version is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedVersion:
    """The scores that a backfill would give to a tenant's events."""

    rules_version: int
    judges: Sequence[str]
    model: str | None


def rescorable_rows(wanted: EvaluationFilter) -> list[ColumnElement[bool]]:
    """Conditions for current rows that can be scored again: their texts are kept and their tenant's sample has them."""
    sampled = _ROWS.unscored.is_distinct_from(UnscoredReason.NOT_SAMPLED.value)
    return [*current_rows(wanted), _ROWS.withheld.is_(False), sampled]


async def workloads(
    engine: AsyncEngine, wanted: EvaluationFilter, bar: float, version: WantedVersion | None = None
) -> list[TenantWorkload]:
    """How much there is to score again, by tenant; without a version every event is new. Raises `StoreUnavailable`."""
    new = true() if version is None else ~_stored_as(version)
    unsure = func.count().filter(new, or_(_ROWS.confidence.is_(None), _ROWS.confidence < bar))
    length = func.length(_ROWS.question) + func.length(_ROWS.sql)
    letters = func.sum(length + func.coalesce(func.length(_ROWS.enriched_question), 0)).filter(new)
    query = (
        select(_ROWS.tenant, func.count(), unsure, letters, func.count().filter(~new))
        .where(*rescorable_rows(wanted))
        .group_by(_ROWS.tenant)
        .order_by(_ROWS.tenant)
    )
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            rows = (await connection.execute(query)).all()
    return [
        TenantWorkload(tenant=row[0], events=row[1], unsure=row[2], letters=int(row[3] or 0), already=row[4])
        for row in rows
    ]


def _stored_as(version: WantedVersion) -> ColumnElement[bool]:
    """Whether the event has a row of this version, current or not."""
    rows = EVALUATIONS.alias("of_version")
    same_event = (rows.c.event == _ROWS.event, rows.c.occurred_at == _ROWS.occurred_at)
    of_version = (rows.c.rules_version == version.rules_version, *scored_by(rows, version.judges, version.model))
    return select(1).where(*same_event, *of_version).exists()


async def count_withheld(engine: AsyncEngine, wanted: EvaluationFilter) -> int:
    """How many rows cannot be scored again because their texts are withheld; raises `StoreUnavailable`."""
    query = select(func.count()).where(*current_rows(wanted), _ROWS.withheld)
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            return await connection.scalar(query) or 0


async def stored_events(engine: AsyncEngine, wanted: EvaluationFilter) -> AsyncGenerator[list[StoredEvent]]:
    """The events, oldest first, in batches; raises `StoreUnavailable`."""
    # paged by event, not by row: a backfill changes which row of an event is current
    order = (_ROWS.occurred_at, _ROWS.event)
    query = (
        select(EVALUATIONS, _KEYS.payload_hash)
        .join(EVENT_KEYS, _SAME_EVENT)
        .where(*rescorable_rows(wanted))
        .order_by(*order)
        .limit(_BATCH)
    )
    after: tuple[datetime, UUID] | None = None
    while True:
        page = query if after is None else query.where(tuple_(*order) > tuple_(*after))
        with translate_errors(engine.url):
            async with engine.connect() as connection:
                rows = (await connection.execute(page)).mappings().all()
        if not rows:
            return
        after = (rows[-1]["occurred_at"], rows[-1]["event"])
        yield [stored_event(dict(row)) for row in rows]


async def newest_events(engine: AsyncEngine, wanted: EvaluationFilter, most: int) -> list[StoredEvent]:
    """At most so many events, newest first; raises `StoreUnavailable`."""
    newest = (_ROWS.occurred_at.desc(), _ROWS.id.desc())
    query = select(EVALUATIONS, _KEYS.payload_hash).join(EVENT_KEYS, _SAME_EVENT).where(*rescorable_rows(wanted))
    return [stored_event(row) for row in await fetch_rows(engine, query.order_by(*newest).limit(most))]


def stored_event(row: Mapping[str, Any]) -> StoredEvent:
    """The event of a row of `evaluations` with the `payload_hash` of its key."""
    fields = {name: row[name] for name in _EVENT_FIELDS}
    moment = row["occurred_at"]
    try:
        event = QueryEvent.model_validate({**fields, "occurred_at": moment})
        if event.payload_hash != row["payload_hash"]:
            # the row has its record's time: the event had none, so relative dates must not be anchored there
            event = QueryEvent.model_validate(fields)
    except ValidationError:
        # an older release accepted this event and the present one would not
        event = QueryEvent.model_construct(**fields, occurred_at=moment)
    return StoredEvent(event, moment, StoredRow(*(row[name] for name in StoredRow._fields)))
