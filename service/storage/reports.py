"""Reading evaluations back: filtered pages, one in full, and the paper's Table 4."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import ColumnElement, Select, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from scoring.query import UnscoredReason
from scoring.verdict import Verdict
from service.storage.database import translated
from service.storage.tables import EVALUATIONS, REFERENCE_VERDICTS

JUDGED_WRONG = (Verdict.POTENTIALLY_INCORRECT.value, Verdict.INCORRECT.value)
"""Verdicts that say the answer is wrong."""
MAX_PAGE = 500


class Order(StrEnum):
    """How evaluations are listed."""

    NEWEST = "newest"
    """By when they occurred, latest first."""
    WORST = "worst"
    """By p_correct, then score, lowest first; only those with a score."""


class InvalidCursor(Exception):  # noqa: N818 named beside InvalidEvent
    """The cursor is none that a page of this order gave."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which evaluations; a field left out restricts nothing."""

    tenant: str | None = None
    agent: str | None = None
    agent_version: str | None = None
    tier: str | None = None
    verdict: str | None = None
    filter_status: str | None = None
    reason: str | None = None
    """One of the row's reason codes."""
    unscored: bool | None = None
    """Only rows without a score, or only rows with one."""
    min_score: float | None = None
    max_score: float | None = None
    reference: str | None = None
    """What its reference says of the answer."""
    since: datetime | None = None
    """Occurred then or later."""
    until: datetime | None = None
    """Occurred before then."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list and where the next begins."""

    items: list[dict[str, Any]]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    """One line of the paper's Table 4, with what Φ alone does not say beside it."""

    tenant: str
    agent: str
    agent_version: str | None
    """`None` too where versions are not told apart."""
    received: int
    """Events stored, those left out by the sample rate not counted."""
    scored: int
    mean: float | None
    """Mean Φ of the scored, in [0, 100]."""
    p90: float | None
    """90th percentile of Φ."""
    coverage: float | None
    """Scored ÷ received, in [0, 1]."""
    mean_p_correct: float | None
    judged_wrong: float | None
    """Share of the scored whose verdict is Potentially Incorrect or Incorrect."""


_LISTED = [column for column in EVALUATIONS.c if column.name not in {"record", "attributes", "reference_sql", "event"}]
_SAID = REFERENCE_VERDICTS.c
_REFERENCE = (_SAID.verdict.label("reference_verdict"), _SAID.level.label("reference_level"))
_BESIDE = EVALUATIONS.outerjoin(REFERENCE_VERDICTS, EVALUATIONS.c.event == _SAID.event)
"""Evaluations with what the reference says, where there is one."""
_KEYS = {
    Order.NEWEST: (EVALUATIONS.c.occurred_at, EVALUATIONS.c.id),
    Order.WORST: (EVALUATIONS.c.p_correct, EVALUATIONS.c.score, EVALUATIONS.c.id),
}


async def evaluations(
    engine: AsyncEngine, wanted: Wanted, *, order: Order = Order.NEWEST, limit: int = 50, cursor: str | None = None
) -> Page:
    """A page of at most `limit` rows after `cursor`; raises `InvalidCursor` and `StoreUnavailable`."""
    limit = min(max(limit, 1), MAX_PAGE)
    keys = _KEYS[order]
    query = select(*_LISTED, *_REFERENCE).select_from(_BESIDE).where(*conditions(wanted))
    if order is Order.WORST:
        query = query.where(EVALUATIONS.c.score.is_not(None)).order_by(*keys)
    else:
        query = query.order_by(*(key.desc() for key in keys))
    if cursor is not None:
        after, before = tuple_(*keys), tuple_(*_read_cursor(order, cursor))
        query = query.where(after > before if order is Order.WORST else after < before)
    rows = await _rows(engine, query.limit(limit + 1))
    more = len(rows) > limit
    rows = rows[:limit]
    return Page(rows, _write_cursor(order, rows[-1]) if more else None)


async def evaluation(engine: AsyncEngine, id_: UUID, tenant: str | None = None) -> dict[str, Any] | None:
    """One evaluation in full, if it is there and of `tenant` (`None` is any)."""
    first, last = moments_of(id_)
    query = select(EVALUATIONS, *_REFERENCE, _SAID.record.label("reference")).select_from(_BESIDE)
    query = query.where(EVALUATIONS.c.id == id_, EVALUATIONS.c.occurred_at >= first, EVALUATIONS.c.occurred_at <= last)
    if tenant is not None:
        query = query.where(EVALUATIONS.c.tenant == tenant)
    rows = await _rows(engine, query.limit(1))
    return rows[0] if rows else None


async def report(engine: AsyncEngine, wanted: Wanted | None = None, *, by_version: bool = False) -> list[ReportRow]:
    """Table 4 over the stored rows: a line per tenant and agent (and version), best mean first.

    Means leave rows without a score out; coverage shows them.
    """
    table = EVALUATIONS.c
    groups = [table.tenant, table.agent, *([table.agent_version] if by_version else [])]
    scored, count = table.score.is_not(None), func.count(table.score)
    received = func.count().filter(table.unscored.is_distinct_from(UnscoredReason.NOT_SAMPLED.value))
    wrong = func.count().filter(scored, table.verdict.in_(JUDGED_WRONG))
    query = (
        select(
            *groups,
            received.label("received"),
            count.label("scored"),
            func.avg(table.score).label("mean"),
            func.percentile_cont(0.9).within_group(table.score).label("p90"),
            (count * 1.0 / func.nullif(received, 0)).label("coverage"),
            func.avg(table.p_correct).filter(scored).label("mean_p_correct"),
            (wrong * 1.0 / func.nullif(count, 0)).label("judged_wrong"),
        )
        .where(*conditions(wanted or Wanted()))
        .group_by(*groups)
        .order_by(func.avg(table.score).desc().nulls_last(), *groups)
    )
    return [_report_row(row) for row in await _rows(engine, query)]


def moments_of(id_: UUID) -> tuple[datetime, datetime]:
    """Between which times the event of a row with this id lies: its day alone is then searched."""
    millis = id_.int >> 80
    epoch, step = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=2)
    earliest, latest = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    if millis >= (latest - epoch) / timedelta(milliseconds=1) - 2:
        return earliest, latest
    moment = epoch + timedelta(milliseconds=millis)
    return (moment - step if millis else earliest), moment + step


def _report_row(row: Mapping[str, Any]) -> ReportRow:
    digits = {"mean": 2, "p90": 2, "coverage": 4, "mean_p_correct": 4, "judged_wrong": 4}
    rounded = {name: None if row[name] is None else round(float(row[name]), places) for name, places in digits.items()}
    return ReportRow(
        tenant=row["tenant"],
        agent=row["agent"],
        agent_version=row.get("agent_version"),
        received=row["received"],
        scored=row["scored"],
        **rounded,
    )


def conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    """The restriction to current rows that are wanted."""
    table = EVALUATIONS.c
    equal = ("tenant", "agent", "agent_version", "tier", "verdict", "filter_status")
    conditions: list[ColumnElement[bool]] = [table.current]
    conditions += [table[name] == getattr(wanted, name) for name in equal if getattr(wanted, name) is not None]
    if wanted.min_score is not None:
        conditions.append(table.score >= wanted.min_score)
    if wanted.max_score is not None:
        conditions.append(table.score <= wanted.max_score)
    if wanted.since is not None:
        conditions.append(table.occurred_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(table.occurred_at < wanted.until)
    if wanted.reason is not None:
        conditions.append(table.reason_codes.contains([wanted.reason]))
    if wanted.reference is not None:
        conditions.append(table.event.in_(select(_SAID.event).where(_SAID.verdict == wanted.reference)))
    if wanted.unscored is not None:
        conditions.append(table.score.is_(None) if wanted.unscored else table.score.is_not(None))
    return conditions


async def _rows(engine: AsyncEngine, query: Select[Any]) -> list[dict[str, Any]]:
    with translated(engine.url):
        async with engine.connect() as connection:
            return [dict(row) for row in (await connection.execute(query)).mappings()]


def _write_cursor(order: Order, row: Mapping[str, Any]) -> str:
    values = [row[key.name] for key in _KEYS[order]]
    return base64.urlsafe_b64encode(orjson.dumps([order.value, *values], default=str)).decode().rstrip("=")


def _read_cursor(order: Order, cursor: str) -> list[object]:
    try:
        kind, *values = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
        if kind != order.value or len(values) != len(_KEYS[order]):
            raise ValueError(kind)
        id_ = UUID(values[-1])
        if order is Order.NEWEST:
            return [datetime.fromisoformat(values[0]), id_]
        return [float(values[0]), float(values[1]), id_]
    except (ValueError, TypeError, AttributeError, binascii.Error) as error:
        detail = f"cursor is not one that a page in order {order.value} gave: start again without it"
        raise InvalidCursor(detail) from error
