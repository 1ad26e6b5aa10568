"""Labelled answers about which reviewers disagree with each other, or with the judge."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.labels import LabelValue
from service.storage.database import fetch_rows
from service.storage.page_cursors import PageCursors
from service.storage.scores.evaluation_pages import RowPage
from service.storage.sums.reading import AnswerScope
from service.storage.tables import EVALUATIONS, EVENT_KEYS, LABELS

_KEYS = EVENT_KEYS.c
_ROWS = EVALUATIONS.c
_LABELS = LABELS.c
_EVENT = ("tenant", "source", "event_id")
_CURSORS = PageCursors(("labelled_at", *_EVENT), "disagreements")
_SHOWN = (
    "agent agent_version occurred_at question enriched_question sql dialect score tier verdict unscored p_correct judge"
).split()


class Between(StrEnum):
    """Who disagrees."""

    REVIEWERS = "reviewers"
    """Some reviewers call the answer right and some wrong."""
    JUDGE = "judge"
    """Most reviewers call it right and its `p_correct` is below 0.5, or the other way round."""


async def disagreements(
    engine: AsyncEngine, between: Between, wanted: AnswerScope, *, limit: int = 50, cursor: str | None = None
) -> RowPage:
    """A page of answers, those with the latest label first, each with its `labels`.

    `since` and `until` are about the latest label. Labels `unsure` do not disagree. Raises `InvalidCursor` and
    `StoreUnavailable`.
    """
    event = [_LABELS[name] for name in _EVENT]
    right, wrong = (func.count().filter(_LABELS.label == each.value) for each in (LabelValue.RIGHT, LabelValue.WRONG))
    latest = func.max(_LABELS.labelled_at)
    counted = select(*event, right.label("right"), wrong.label("wrong"), latest.label("labelled_at")).group_by(*event)
    if wanted.tenant is not None:
        counted = counted.where(_LABELS.tenant == wanted.tenant)
    if between is Between.REVIEWERS:
        counted = counted.having(right > 0, wrong > 0)
    votes = counted.where(_LABELS.label != LabelValue.UNSURE.value).subquery("votes")
    order = [votes.c[name] for name in ("labelled_at", *_EVENT)]
    listed: list[ColumnElement[Any]] = [*votes.c, _KEYS.evaluation_id, *(_ROWS[name] for name in _SHOWN)]
    query = (
        select(*listed)
        .select_from(
            votes.join(EVENT_KEYS, and_(*(votes.c[name] == _KEYS[name] for name in _EVENT))).join(
                EVALUATIONS, and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at)
            )
        )
        .where(*_conditions(between, wanted, votes.c))
        .order_by(*(each.desc() for each in order))
        .limit(limit + 1)
    )
    if cursor is not None:
        query = query.where(tuple_(*order) < tuple_(*_CURSORS.read(cursor)))
    rows = await fetch_rows(engine, query)
    more, rows = len(rows) > limit, rows[:limit]
    return RowPage(await _with_labels(engine, rows), _CURSORS.write(rows[-1]) if more else None)


def _conditions(between: Between, wanted: AnswerScope, votes: Any) -> list[ColumnElement[bool]]:
    equal = {_ROWS.agent: wanted.agent, _ROWS.agent_version: wanted.agent_version}
    conditions: list[ColumnElement[bool]] = [column == value for column, value in equal.items() if value is not None]
    if wanted.since is not None:
        conditions.append(votes.labelled_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(votes.labelled_at < wanted.until)
    if between is Between.JUDGE:
        taken = and_(_ROWS.p_correct >= 0.5, votes.wrong > votes.right)
        refused = and_(_ROWS.p_correct < 0.5, votes.right > votes.wrong)
        conditions.append(or_(taken, refused))
    return conditions


async def _with_labels(engine: AsyncEngine, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    if not rows:
        return []
    keys = [tuple(row[name] for name in _EVENT) for row in rows]
    said = ("reviewer", "label", "error_type", "note", "correction", "labelled_at", "blind")
    query = select(*(_LABELS[name] for name in (*_EVENT, *said))).order_by(_LABELS.labelled_at, _LABELS.reviewer)
    by_event: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for label in await fetch_rows(engine, query.where(tuple_(*(_LABELS[name] for name in _EVENT)).in_(keys))):
        event = tuple(label.pop(name) for name in _EVENT)
        by_event.setdefault(event, []).append(label)
    # SQLAlchemy marks the name "right", a keyword, and JSON is written of plain text
    plain = [{str(name): value for name, value in row.items()} for row in rows]
    return [row | {"labels": by_event.get(key, [])} for row, key in zip(plain, keys, strict=True)]
