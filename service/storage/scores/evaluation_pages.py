"""Evaluations read back: one in full, or a list in pages."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import ColumnElement, Select, Table, and_, exists, func, or_, select, text, tuple_
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.slices.counts import SliceKind
from service.storage.database import fetch_rows, rows_by_name, translate_errors
from service.storage.scores.slice_parts import slice_condition
from service.storage.sums.reading import AnswerScope
from service.storage.tables import EVALUATIONS, EVENT_KEYS, FEEDBACK, LABELS, REFERENCE_VERDICTS
from service.storage.tables.columns import Use, columns_for

MAX_PAGE = 500
_ROWS = EVALUATIONS.c
_REFERENCES = REFERENCE_VERDICTS.c
_LABELS, _FEEDBACK, _KEYS = LABELS.c, FEEDBACK.c, EVENT_KEYS.c
_FEW = 10_000
"""Labels, or feedback, up to which answers are looked up by them. With more, the next such answer of a list is near."""
_CANCELED = "57014"
"""SQLSTATE of a statement that its timeout ended."""
_EVENT = ("tenant", "source", "event_id")
_LISTED = columns_for(EVALUATIONS, Use.LIST)
_IN_FULL = [column for column in _ROWS if column.name != "slices"]
_REFERENCE = (_REFERENCES.verdict.label("reference_verdict"), _REFERENCES.level.label("reference_level"))
_WITH_REFERENCE = EVALUATIONS.outerjoin(REFERENCE_VERDICTS, _ROWS.event == _REFERENCES.event)


class Order(StrEnum):
    """How evaluations are listed."""

    NEWEST = "newest"
    """By event time, latest first."""
    WORST = "worst"
    """By p_correct, then score, lowest first; only rows with a score."""


class FeedbackSaid(StrEnum):
    """Answers on which people gave feedback."""

    SATISFIED = "satisfied"
    """Somebody is satisfied."""
    DISSATISFIED = "dissatisfied"
    """Somebody is not."""
    ANY = "any"


_SORT_KEYS = {
    Order.NEWEST: (_ROWS.occurred_at, _ROWS.id),
    Order.WORST: (_ROWS.p_correct, _ROWS.score, _ROWS.id),
}


SEARCH_SECONDS = 10.0
"""Seconds until a list is given up: a search without its index, or filters that hardly any answer fits, read all rows
in scope.
"""


class SearchTooSlow(Exception):  # noqa: N818 named beside InvalidCursor
    """A list was not read in time."""


class InvalidCursor(Exception):  # noqa: N818 named beside InvalidEvent
    """The cursor was not given by a page of this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationFilter(AnswerScope):
    """Which evaluations to read; a field left out restricts nothing."""

    tier: str | None = None
    verdict: str | None = None
    filter_status: str | None = None
    reason: str | None = None
    """One of the row's reason codes."""
    unscored: bool | None = None
    """Only rows without a score (true) or only rows with one (false)."""
    min_score: float | None = None
    max_score: float | None = None
    reference: str | None = None
    """The reference verdict."""
    judge: str | None = None
    reviewed: bool | None = None
    """Only events with a label (true) or only events without one (false)."""
    error_type: str | None = None
    """Only events that a reviewer calls wrong with this error type."""
    feedback: FeedbackSaid | None = None
    """Only events on which somebody said this."""
    slice_kind: SliceKind | None = None
    slice_value: str | None = None
    """Only answers in the slice of this kind with this value."""
    search: str | None = None
    """A text that the question or the SQL contains, whatever its case."""


@dataclass(frozen=True, slots=True)
class RowPage:
    """One page of a list, with the cursor of the next."""

    items: list[dict[str, Any]]
    next_cursor: str | None


async def evaluation_page(
    engine: AsyncEngine,
    wanted: EvaluationFilter,
    *,
    order: Order = Order.NEWEST,
    limit: int = 50,
    cursor: str | None = None,
    search_seconds: float = SEARCH_SECONDS,
) -> RowPage:
    """At most `limit` rows after `cursor`; raises `InvalidCursor`, `SearchTooSlow` and `StoreUnavailable`."""
    limit = min(max(limit, 1), MAX_PAGE)
    keys = _SORT_KEYS[order]
    query = select(*_LISTED, *_REFERENCE).select_from(_WITH_REFERENCE).where(*await listed_rows(engine, wanted))
    if order is Order.WORST:
        query = query.where(_ROWS.score.is_not(None)).order_by(*keys)
    else:
        query = query.order_by(*(key.desc() for key in keys))
    if cursor is not None:
        position, last = tuple_(*keys), tuple_(*_read_cursor(order, cursor))
        query = query.where(position > last if order is Order.WORST else position < last)
    query = query.limit(limit + 1)
    rows = await fetch_in_time(engine, query, search_seconds)
    more = len(rows) > limit
    rows = rows[:limit]
    return RowPage(rows, _write_cursor(order, rows[-1]) if more else None)


def sort_keys(order: Order) -> tuple[ColumnElement[Any], ...]:
    """The columns that a list is sorted by: all rising, or all falling where the newest come first."""
    return _SORT_KEYS[order]


# a plan for any text would read all rows where the index finds the few that hold this one
_FOR_THIS_LIST = text(
    "SELECT set_config('statement_timeout', :milliseconds, true),"
    " set_config('plan_cache_mode', 'force_custom_plan', true)"
)


async def fetch_in_time(engine: AsyncEngine, query: Select[Any], seconds: float) -> list[dict[str, Any]]:
    """The rows of a query; raises `SearchTooSlow` once it has run this long."""
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await connection.execute(_FOR_THIS_LIST, {"milliseconds": str(round(seconds * 1000))})
            try:
                return rows_by_name(await connection.execute(query))
            except DBAPIError as error:
                if getattr(error.orig, "sqlstate", None) != _CANCELED:
                    raise
                detail = f"no page of answers was found in {seconds:g} s"
                raise SearchTooSlow(detail) from None


async def find_evaluation(engine: AsyncEngine, id_: UUID, tenant: str | None = None) -> dict[str, Any] | None:
    """One evaluation in full; `None` if there is none, or if it belongs to another tenant than `tenant`."""
    first, last = event_times(id_)
    query = select(*_IN_FULL, *_REFERENCE, _REFERENCES.record.label("reference")).select_from(_WITH_REFERENCE)
    query = query.where(_ROWS.id == id_, _ROWS.occurred_at >= first, _ROWS.occurred_at <= last)
    if tenant is not None:
        query = query.where(_ROWS.tenant == tenant)
    rows = await fetch_rows(engine, query.limit(1))
    return rows[0] if rows else None


def event_times(id_: UUID) -> tuple[datetime, datetime]:
    """The earliest and latest event time of a row with this id, so that only one day's partition is searched."""
    millis = id_.int >> 80
    epoch, step = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=2)
    earliest, latest = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    if millis >= (latest - epoch) / timedelta(milliseconds=1) - 2:
        return earliest, latest
    moment = epoch + timedelta(milliseconds=millis)
    return (moment - step if millis else earliest), moment + step


async def listed_rows(engine: AsyncEngine, wanted: EvaluationFilter) -> list[ColumnElement[bool]]:
    """The conditions of `current_rows`, in the form that finds a page of them fastest. Raises `StoreUnavailable`."""
    others, looked_up = wanted, list[ColumnElement[bool]]()
    if wanted.feedback is not None and await _are_few(engine, FEEDBACK, _feedback_of(wanted)):
        others = replace(others, feedback=None)
        looked_up.append(_is_row_of(FEEDBACK, _feedback_of(wanted)))
    by_label = wanted.error_type is not None or wanted.reviewed
    if by_label and await _are_few(engine, LABELS, _labels_of(wanted)):
        others = replace(others, error_type=None, reviewed=None if wanted.reviewed else wanted.reviewed)
        looked_up.append(_is_row_of(LABELS, _labels_of(wanted)))
    return [*current_rows(others), *looked_up]


async def _are_few(engine: AsyncEngine, table: Table, which: Sequence[ColumnElement[bool]]) -> bool:
    some = select(table.c.event_id).where(*which).limit(_FEW + 1).subquery("some")
    counted = await fetch_rows(engine, select(func.count().label("found")).select_from(some))
    return counted[0]["found"] <= _FEW


def _is_row_of(table: Table, which: Sequence[ColumnElement[bool]]) -> ColumnElement[bool]:
    """Whether a row is that of an event in the table: the keys know few at once, and do not look for each row."""
    same_event = and_(*(table.c[name] == _KEYS[name] for name in _EVENT))
    found = select(_KEYS.occurred_at, _KEYS.evaluation_id).select_from(table.join(EVENT_KEYS, same_event))
    return tuple_(_ROWS.occurred_at, _ROWS.id).in_(found.where(*which))


def _feedback_of(wanted: EvaluationFilter) -> list[ColumnElement[bool]]:
    conditions = [_FEEDBACK.tenant == wanted.tenant] if wanted.tenant is not None else []
    if wanted.feedback is FeedbackSaid.ANY:
        return [*conditions, _FEEDBACK.event_id.is_not(None)]
    return [*conditions, _FEEDBACK.satisfied.is_(wanted.feedback is FeedbackSaid.SATISFIED)]


def _labels_of(wanted: EvaluationFilter) -> list[ColumnElement[bool]]:
    conditions = [_LABELS.tenant == wanted.tenant] if wanted.tenant is not None else []
    return conditions if wanted.error_type is None else [*conditions, _LABELS.error_type == wanted.error_type]


def current_rows(wanted: EvaluationFilter) -> list[ColumnElement[bool]]:
    """SQL conditions for the current rows that `wanted` describes."""
    equal = ("tenant", "agent", "agent_version", "tier", "verdict", "filter_status", "judge")
    conditions: list[ColumnElement[bool]] = [_ROWS.current]
    conditions += [_ROWS[name] == getattr(wanted, name) for name in equal if getattr(wanted, name) is not None]
    if wanted.min_score is not None:
        conditions.append(_ROWS.score >= wanted.min_score)
    if wanted.max_score is not None:
        conditions.append(_ROWS.score <= wanted.max_score)
    if wanted.since is not None:
        conditions.append(_ROWS.occurred_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_ROWS.occurred_at < wanted.until)
    if wanted.reason is not None:
        conditions.append(_ROWS.reason_codes.contains([wanted.reason]))
    if wanted.unscored is not None:
        conditions.append(_ROWS.score.is_(None) if wanted.unscored else _ROWS.score.is_not(None))
    return conditions + _beside_the_score(wanted)


def _beside_the_score(wanted: EvaluationFilter) -> list[ColumnElement[bool]]:
    """The conditions on the texts, the reference and the labels."""
    conditions: list[ColumnElement[bool]] = []
    if wanted.reference is not None:
        with_verdict = select(_REFERENCES.event).where(_REFERENCES.verdict == wanted.reference)
        conditions.append(_ROWS.event.in_(with_verdict))
    labelled = exists().where(*(_LABELS[name] == _ROWS[name] for name in _EVENT))
    if wanted.reviewed is not None:
        conditions.append(labelled if wanted.reviewed else ~labelled)
    if wanted.error_type is not None:
        conditions.append(labelled.where(_LABELS.error_type == wanted.error_type))
    if wanted.feedback is not None:
        said = exists().where(*(_FEEDBACK[name] == _ROWS[name] for name in _EVENT))
        conditions.append(said.where(*_feedback_of(wanted)))
    if wanted.slice_kind is not None:
        in_slice = text(slice_condition(wanted.slice_kind)).bindparams(slice_value=wanted.slice_value or "")
        conditions.append(and_(in_slice))
    if wanted.search is not None:
        conditions.append(_containing(wanted.search))
    return conditions


def _containing(searched: str) -> ColumnElement[bool]:
    pattern = "%" + re.sub(r"([\\%_])", r"\\\1", searched) + "%"
    return or_(_ROWS.question.ilike(pattern, escape="\\"), _ROWS.sql.ilike(pattern, escape="\\"))


def _write_cursor(order: Order, row: Mapping[str, Any]) -> str:
    values = [row[key.name] for key in _SORT_KEYS[order]]
    return base64.urlsafe_b64encode(orjson.dumps([order.value, *values], default=str)).decode().rstrip("=")


def _read_cursor(order: Order, cursor: str) -> list[object]:
    try:
        kind, *values = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if kind != order.value or len(values) != len(_SORT_KEYS[order]):
            raise ValueError(kind)
        id_ = UUID(values[-1])
        if order is Order.NEWEST:
            return [datetime.fromisoformat(values[0]), id_]
        return [float(values[0]), float(values[1]), id_]
    except (ValueError, TypeError, AttributeError, binascii.Error) as error:
        detail = f"cursor was not given by a page in order {order.value}: start again without it"
        raise InvalidCursor(detail) from error
