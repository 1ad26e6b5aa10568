"""Labels in PostgreSQL, written and read back beside the judge's verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, or_, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import EventKey
from consumers.keep_labels import Label, Target
from service.storage.audit import Actor, Via, note_change
from service.storage.database import fetch_rows, translate_errors
from service.storage.page_cursors import PageCursors
from service.storage.reviewing.label_changes import PRIMARY_KEY, labels_before, stored_changes
from service.storage.reviewing.review_queue import end_leases, lock_reviews
from service.storage.scores.evaluation_pages import RowPage, event_times, find_evaluation
from service.storage.tables import EVALUATIONS, EVENT_KEYS, LABELS, PAST_LABELS

_KEYS = EVENT_KEYS.c
_ROWS = EVALUATIONS.c
_LABELS = LABELS.c
_ORDER = (_LABELS.labelled_at, _LABELS.tenant, _LABELS.source, _LABELS.event_id, _LABELS.reviewer)
_CURSORS = PageCursors([column.name for column in _ORDER], "labels")

STREAM = Actor(name=None, via=Via.STREAM)
"""Who sends records of the topic of labels is not known."""


@dataclass(frozen=True, slots=True)
class PostgresLabels:
    """A `LabelStore` in PostgreSQL."""

    engine: AsyncEngine
    actor: Actor = STREAM
    """Who stores them."""

    async def events(self, targets: Sequence[Target]) -> Mapping[Target, EventKey]:
        """The stored events, by target."""
        by_key = {each.key: each for each in targets if each.key is not None}
        by_id = [each for each in targets if each.evaluation_id is not None]
        known: dict[Target, EventKey] = {}
        with translate_errors(self.engine.url):
            async with self.engine.connect() as connection:
                if by_key:
                    names = (_KEYS.tenant, _KEYS.source, _KEYS.event_id)
                    stored = select(*names).where(tuple_(*names).in_([tuple(key) for key in by_key]))
                    known |= {by_key[key]: key for key in (EventKey(*row) for row in await connection.execute(stored))}
                if by_id:
                    found = await connection.execute(
                        select(_ROWS.id, _ROWS.tenant, _ROWS.source, _ROWS.event_id).where(_any_of(by_id))
                    )
                    keys = {row.id: EventKey(row.tenant, row.source, row.event_id) for row in found}
                    known |= {each: key for each in by_id if (key := _key_of(each, keys)) is not None}
        return known

    async def keep(self, labels: Sequence[tuple[EventKey, Label]]) -> None:
        """Keeps each reviewer's latest label of each event."""
        latest: dict[tuple[EventKey, str], Label] = {}
        for key, label in sorted(labels, key=lambda each: each[1].labelled_at):
            latest[key, label.reviewer] = label
        # every transaction writes in this order, so that two batches with the same labels cannot deadlock
        rows = [_row(key, latest[key, reviewer]) for key, reviewer in sorted(latest)]
        if not rows:
            return
        new = insert(LABELS).values(rows)
        updated = ("label", "error_type", "note", "correction", "labelled_at", "blind")
        drawn = func.coalesce(new.excluded.sampling_probability, _LABELS.sampling_probability)
        upsert = new.on_conflict_do_update(
            index_elements=["tenant", "source", "event_id", "reviewer"],
            set_={name: new.excluded[name] for name in updated} | {"sampling_probability": drawn},
            where=_LABELS.labelled_at <= new.excluded.labelled_at,
        )
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                await lock_reviews(connection, {key.tenant for key, _ in latest})
                keys = [tuple(row[name] for name in PRIMARY_KEY) for row in rows]
                before = await labels_before(connection, keys)
                names = (_LABELS[name] for name in PRIMARY_KEY)
                written = {tuple(row) for row in await connection.execute(upsert.returning(*names))}
                stored = [row for key, row in zip(keys, rows, strict=True) if key in written]
                await end_leases(connection, keys)
                await note_change(connection, *stored_changes(before, stored, self.actor))


def _key_of(target: Target, keys: Mapping[UUID | None, EventKey]) -> EventKey | None:
    key = keys.get(target.evaluation_id)
    return key if key is not None and target.tenant in {None, key.tenant} else None


def _any_of(targets: Sequence[Target]) -> ColumnElement[bool]:
    ids = {each.evaluation_id for each in targets if each.evaluation_id is not None}
    spans = ((id_, *event_times(id_)) for id_ in ids)
    return or_(*(and_(_ROWS.id == id_, _ROWS.occurred_at.between(first, last)) for id_, first, last in spans))


def _row(key: EventKey, label: Label) -> dict[str, object]:
    return {
        "tenant": key.tenant,
        "source": key.source,
        "event_id": key.event_id,
        "reviewer": label.reviewer,
        "label": label.label.value,
        "error_type": label.error_type.value if label.error_type else None,
        "note": label.note,
        "correction": label.correction,
        "labelled_at": label.labelled_at,
        "sampling_probability": label.sampling_probability,
        "blind": label.blind,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFilter:
    """Which labels to read; a field left out restricts nothing."""

    tenant: str | None = None
    agent: str | None = None
    label: str | None = None
    error_type: str | None = None
    reviewer: str | None = None
    event_id: str | None = None
    blind: bool | None = None
    since: datetime | None = None
    """Earliest time of labelling, inclusive."""
    until: datetime | None = None
    """Latest time of labelling, exclusive."""


async def label_page(
    engine: AsyncEngine, wanted: LabelFilter, *, limit: int = 50, cursor: str | None = None
) -> RowPage:
    """A page of labels, newest first, each with its event's current evaluation if that is still stored.

    Raises `InvalidCursor` and `StoreUnavailable`.
    """
    event = ("agent", "agent_version", "question", "enriched_question", "sql", "dialect", "occurred_at")
    verdict = ("score", "verdict", "confidence", "p_correct", "judge")
    query = (
        select(LABELS, _KEYS.evaluation_id, *(_ROWS[name] for name in (*event, *verdict)))
        .select_from(
            LABELS.outerjoin(
                EVENT_KEYS,
                and_(*(_LABELS[name] == _KEYS[name] for name in ("tenant", "source", "event_id"))),
            ).outerjoin(EVALUATIONS, and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at))
        )
        .where(*_conditions(wanted))
        .order_by(*(each.desc() for each in _ORDER))
        .limit(limit + 1)
    )
    if cursor is not None:
        query = query.where(tuple_(*_ORDER) < tuple_(*_CURSORS.read(cursor)))
    rows = await fetch_rows(engine, query)
    more = len(rows) > limit
    return RowPage(rows[:limit], _CURSORS.write(rows[limit - 1]) if more else None)


async def labelled_evaluation(engine: AsyncEngine, id_: UUID, tenant: str | None = None) -> dict[str, Any] | None:
    """What `find_evaluation` finds, with the `labels` of its event."""
    found = await find_evaluation(engine, id_, tenant)
    if found is not None:
        found["labels"] = await labels_of(engine, EventKey(found["tenant"], found["source"], found["event_id"]))
    return found


async def labels_of(engine: AsyncEngine, event: EventKey) -> list[dict[str, Any]]:
    """The labels of an event, newest first; raises `StoreUnavailable`."""
    mine = [_LABELS[name] == value for name, value in zip(("tenant", "source", "event_id"), event, strict=True)]
    shown = [column for column in _LABELS if column.name not in {"tenant", "source", "event_id"}]
    return await fetch_rows(engine, select(*shown).where(*mine).order_by(_LABELS.labelled_at.desc(), _LABELS.reviewer))


async def past_labels_of(engine: AsyncEngine, event: EventKey) -> list[dict[str, Any]]:
    """The labels of an event that their reviewers replaced or withdrew, newest first; raises `StoreUnavailable`."""
    past = PAST_LABELS.c
    mine = [past[name] == value for name, value in zip(("tenant", "source", "event_id"), event, strict=True)]
    shown = [column for column in past if column.name not in {"tenant", "source", "event_id"}]
    return await fetch_rows(engine, select(*shown).where(*mine).order_by(past.labelled_at.desc(), past.reviewer))


def _conditions(wanted: LabelFilter) -> list[ColumnElement[bool]]:
    equal = {
        _LABELS.tenant: wanted.tenant,
        _ROWS.agent: wanted.agent,
        _LABELS.label: wanted.label,
        _LABELS.error_type: wanted.error_type,
        _LABELS.reviewer: wanted.reviewer,
        _LABELS.event_id: wanted.event_id,
        _LABELS.blind: wanted.blind,
    }
    conditions: list[ColumnElement[bool]] = [column == value for column, value in equal.items() if value is not None]
    if wanted.since is not None:
        conditions.append(_LABELS.labelled_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_LABELS.labelled_at < wanted.until)
    return conditions
