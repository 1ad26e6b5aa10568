"""One answer under review: who has it, what its reviewer said, and how that is taken back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import EventKey
from service.storage.audit import Actor, note_change
from service.storage.database import fetch_rows, translate_errors
from service.storage.reviewing.label_changes import labels_before, withdrawn_change
from service.storage.reviewing.review_draws import WINDOW
from service.storage.reviewing.review_queue import LEASE, end_leases, lock_reviews
from service.storage.tables import EVALUATIONS, EVENT_KEYS, LABELS, PAST_LABELS, REVIEW_ITEMS

_ITEMS = REVIEW_ITEMS.c
_KEPT = (
    "tenant, source, event_id, reviewer, label, error_type, note, correction, labelled_at, sampling_probability, blind"
)
_MINE = "tenant = :tenant AND source = :source AND event_id = :event_id AND reviewer = :reviewer"
_WITHDRAW = text(
    f"""
    WITH gone AS (DELETE FROM labels WHERE {_MINE} AND labelled_at = :labelled_at RETURNING {_KEPT})
    INSERT INTO past_labels ({_KEPT}, withdrawn, ended_at) SELECT {_KEPT}, true, :now FROM gone
    """  # noqa: S608 constants
)
_RESTORE = text(
    f"""
    WITH newest AS (
        DELETE FROM past_labels WHERE {_MINE} AND NOT withdrawn AND labelled_at = (
            SELECT max(labelled_at) FROM past_labels WHERE {_MINE} AND NOT withdrawn
        ) RETURNING {_KEPT}
    )
    INSERT INTO labels ({_KEPT}) SELECT {_KEPT} FROM newest
    """  # noqa: S608 constants
)
_LEASE_AGAIN = text(
    f"UPDATE review_items SET labelled_at = NULL, leased_until = :until WHERE {_MINE} AND labelled_at IS NOT NULL"  # noqa: S608 constants
)
_SKIP = text(
    """
    UPDATE review_items SET reviewer = NULL, leased_until = NULL, skipped_at = :now,
        skipped_by = array_append(array_remove(skipped_by, :reviewer), :reviewer)
    WHERE tenant = :tenant AND source = :source AND event_id = :event_id AND labelled_at IS NULL
      AND (reviewer IS NULL OR reviewer = :reviewer OR leased_until < :now)
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewState:
    """What is known of one answer before and after one reviewer labels it."""

    drawn: bool
    """Whether it is part of a sample; the label of another has no probability."""
    holder: str | None
    """The reviewer who has it now."""
    leased_until: datetime | None
    label: dict[str, Any] | None
    """The reviewer's label."""
    past: list[dict[str, Any]]
    """The reviewer's labels that were replaced or withdrawn, the latest first."""


async def review_state(engine: AsyncEngine, event: EventKey, reviewer: str, now: datetime) -> ReviewState:
    """The state of an answer for this reviewer. Raises `StoreUnavailable`."""
    names = ("tenant", "source", "event_id")
    of_item = [_ITEMS[name] == value for name, value in zip(names, event, strict=True)]
    holding: list[ColumnElement[Any]] = [_ITEMS.reviewer, _ITEMS.leased_until, _ITEMS.labelled_at]
    items = await fetch_rows(engine, select(*holding).where(*of_item))
    held = [row for row in items if row["labelled_at"] is None and row["leased_until"] and row["leased_until"] >= now]
    found: list[list[dict[str, Any]]] = []
    for table in (LABELS, PAST_LABELS):
        mine = [table.c[name] == value for name, value in zip(names, event, strict=True)]
        query = select(table).where(*mine, table.c.reviewer == reviewer).order_by(table.c.labelled_at.desc())
        found.append(await fetch_rows(engine, query))
    labels, past = found
    return ReviewState(
        drawn=bool(items),
        holder=held[0]["reviewer"] if held else None,
        leased_until=held[0]["leased_until"] if held else None,
        label=labels[0] if labels else None,
        past=past,
    )


async def withdraw_label(
    engine: AsyncEngine, event: EventKey, reviewer: str, labelled_at: datetime, *, actor: Actor, now: datetime
) -> bool:
    """Takes back the label of this time, and returns whether it was in force; the label before it is so again.

    The withdrawn label is kept among those of the past. Without an earlier label the answer is the reviewer's to label
    again, where it was handed to them. Raises `StoreUnavailable`.
    """
    mine: dict[str, Any] = {**event._asdict(), "reviewer": reviewer}
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await lock_reviews(connection, [event.tenant])
            before = await labels_before(connection, [(*event, reviewer)])
            done = await connection.execute(_WITHDRAW, {**mine, "labelled_at": labelled_at, "now": now})
            if not done.rowcount:
                return False
            await note_change(connection, *(withdrawn_change(each, actor) for each in before.values()))
            if (await connection.execute(_RESTORE, mine)).rowcount:
                await end_leases(connection, [(*event, reviewer)])
            else:
                await connection.execute(_LEASE_AGAIN, {**mine, "until": now + LEASE})
            return True


async def skip_answer(engine: AsyncEngine, event: EventKey, reviewer: str, *, now: datetime) -> bool:
    """Gives the answer back, for others first; returns whether it was the reviewer's. Raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await lock_reviews(connection, [event.tenant])
            values = {**event._asdict(), "reviewer": reviewer, "now": now}
            return bool((await connection.execute(_SKIP, values)).rowcount)


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCounts:
    """How far the samples of one agent are labelled."""

    drawn: int
    labelled: int
    held: dict[str, int]
    """How many answers each reviewer has now."""

    @property
    def left(self) -> int:
        """Drawn answers that nobody labelled or has."""
        return self.drawn - self.labelled - sum(self.held.values())


async def sample_counts(
    engine: AsyncEngine, tenant: str | None, agent: str | None, now: datetime, *, agent_version: str | None = None
) -> dict[tuple[str, str], SampleCounts]:
    """By tenant and agent, of those whose answers were drawn; `agent_version` counts only answers of one version.

    Raises `StoreUnavailable`.
    """
    open_, leased = _ITEMS.labelled_at.is_(None), _ITEMS.leased_until >= now
    wanted = [_ITEMS.occurred_at >= now - WINDOW]
    wanted += [column == value for column, value in ((_ITEMS.tenant, tenant), (_ITEMS.agent, agent)) if value]
    if agent_version is not None:
        wanted.append(_of_version(agent_version))
    counted = (func.count().label("drawn"), func.count(_ITEMS.labelled_at).label("labelled"))
    who: list[ColumnElement[Any]] = [_ITEMS.tenant, _ITEMS.agent]
    totals: list[ColumnElement[Any]] = [*who, *counted]
    rows = await fetch_rows(engine, select(*totals).where(*wanted).group_by(*who))
    holders: list[ColumnElement[Any]] = [*who, _ITEMS.reviewer, func.count().label("answers")]
    now_held = select(*holders).where(*wanted, and_(open_, leased))
    held: dict[tuple[str, str], dict[str, int]] = {}
    for row in await fetch_rows(engine, now_held.group_by(*who, _ITEMS.reviewer).order_by(_ITEMS.reviewer)):
        held.setdefault((row["tenant"], row["agent"]), {})[row["reviewer"]] = row["answers"]
    return {
        (row["tenant"], row["agent"]): SampleCounts(
            drawn=row["drawn"], labelled=row["labelled"], held=held.get((row["tenant"], row["agent"]), {})
        )
        for row in rows
    }


def _of_version(agent_version: str) -> ColumnElement[bool]:
    """The condition that the current answer of a drawn item is of this version."""
    same = [_ITEMS[name] == EVENT_KEYS.c[name] for name in ("tenant", "source", "event_id")]
    current = (EVALUATIONS.c.id == EVENT_KEYS.c.evaluation_id, EVALUATIONS.c.occurred_at == EVENT_KEYS.c.occurred_at)
    return exists().where(*same, *current, EVALUATIONS.c.agent_version == agent_version)
