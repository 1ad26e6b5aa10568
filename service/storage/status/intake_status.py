"""What arrived lately: how much was scored, why the rest was not, how late, at which cost, and who fell silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Select, Text, column, func, lateral, literal, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows
from service.storage.scores.evaluation_pages import fetch_in_time
from service.storage.sums.reading import AnswerScope, Period, read_sums
from service.storage.tables import DEFERRED_EVENTS, EVALUATIONS

DAY = timedelta(days=1)
SECONDS = 3.0
"""Seconds until the sums of a day are given up, with `SearchTooSlow`."""
_MOST_AGENTS = 500
_BACK = timedelta(days=28)
_ROWS = EVALUATIONS.c


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivedAnswers:
    """The answers that were stored within some time, alike in why they have no score and in their model."""

    unscored: str | None
    model: str | None
    answers: int
    cost: float
    late: float | None
    """The 95th percentile of the seconds from the answer to its row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastAnswer:
    """The last answer of one agent."""

    tenant: str
    agent: str
    agent_version: str | None
    occurred_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCost:
    """What a model cost within some time."""

    model: str
    answers: int
    """Answers that it judged, also when a cached reply cost nothing."""
    tokens: int
    """Sent and received."""
    cost: float
    """In the currency of the price list."""


async def arrived_answers(
    engine: AsyncEngine, tenant: str | None, since: datetime, *, seconds: float = SECONDS
) -> list[ArrivedAnswers]:
    """What the live answers since then became; raises `SearchTooSlow` and `StoreUnavailable`."""
    late = func.extract("epoch", _ROWS.received_at - _ROWS.occurred_at)
    # a whole day is read, so the arithmetic is PostgreSQL's
    columns: list[ColumnElement[Any]] = [
        _ROWS.unscored,
        _ROWS.model,
        func.count().label("answers"),
        func.sum(_ROWS.cost).label("cost"),
        func.percentile_cont(0.95).within_group(late).label("late"),
    ]
    found = select(*columns).where(_ROWS.current, _ROWS.occurred_at >= since, *_of(tenant))
    rows = await fetch_in_time(engine, found.group_by(_ROWS.unscored, _ROWS.model), seconds)
    arrived = [ArrivedAnswers(**row) for row in rows]
    return sorted(arrived, key=lambda each: -each.answers)


async def judge_costs(engine: AsyncEngine, since: datetime, *, seconds: float = SECONDS) -> list[JudgeCost]:
    """What each model cost for the answers that arrived since then, of events of that day or the day before.

    The dearest comes first. Raises `SearchTooSlow` and `StoreUnavailable`.
    """
    columns: list[ColumnElement[Any]] = [
        _ROWS.model,
        func.count().label("answers"),
        func.sum(_ROWS.tokens_in + _ROWS.tokens_out).label("tokens"),
        func.sum(_ROWS.cost).label("cost"),
    ]
    # the event time finds the partitions; an answer seldom arrives later than a day after it
    arrived = (_ROWS.occurred_at >= since - DAY, _ROWS.received_at >= since, _ROWS.model.is_not(None))
    rows = await fetch_in_time(engine, select(*columns).where(*arrived).group_by(_ROWS.model), seconds)
    return sorted((JudgeCost(**row) for row in rows), key=lambda each: (-each.cost, each.model))


async def last_answers(
    engine: AsyncEngine, tenant: str | None, now: datetime, *, agent: str | None = None
) -> Sequence[LastAnswer]:
    """The last answer of each agent, or of one, that answered in the last 28 days, the longest silent first.

    Raises `StoreUnavailable`.
    """
    since = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - _BACK
    scope = AnswerScope(tenant=tenant, agent=agent, since=since)
    last_days: dict[tuple[str, str], datetime] = {}
    for each in await read_sums(engine, scope, period=Period.DAY, histogram=False):
        if each.received and each.period is not None:
            who = each.tenant, each.agent
            last_days[who] = max(each.period, last_days.get(who, each.period))
    agents = sorted(last_days.items())[:_MOST_AGENTS]
    if not agents:
        return []
    # with the last day of each agent at hand, PostgreSQL looks into no day before
    listed = (
        literal([tenant for (tenant, _), _ in agents], ARRAY(Text)),
        literal([agent for (_, agent), _ in agents], ARRAY(Text)),
        literal([day for _, day in agents], ARRAY(DateTime(timezone=True))),
    )
    columns_given = (column("tenant", Text), column("agent", Text), column("day", DateTime(timezone=True)))
    given = func.unnest(*listed).table_valued(*columns_given, name="given").render_derived()
    newest = lateral(
        select(_ROWS.occurred_at, _ROWS.agent_version)
        .where(
            _ROWS.current,
            _ROWS.tenant == given.c.tenant,
            _ROWS.agent == given.c.agent,
            _ROWS.occurred_at >= given.c.day,
        )
        .order_by(_ROWS.occurred_at.desc())
        .limit(1)
    )
    columns: list[ColumnElement[Any]] = [given.c.tenant, given.c.agent, newest.c.agent_version, newest.c.occurred_at]
    query = select(*columns).select_from(given.join(newest, true())).order_by(newest.c.occurred_at)
    return [LastAnswer(**row) for row in await fetch_rows(engine, query)]


async def deferred_events(engine: AsyncEngine, tenant: str | None) -> dict[str, int]:
    """How many events wait to be scored, by the reason. Raises `StoreUnavailable`."""
    events = DEFERRED_EVENTS.c
    columns: list[ColumnElement[Any]] = [events.reason, func.count().label("waiting")]
    query: Select[Any] = select(*columns).group_by(events.reason)
    if tenant is not None:
        query = query.where(events.tenant == tenant)
    return {row["reason"]: row["waiting"] for row in await fetch_rows(engine, query)}


def _of(tenant: str | None) -> list[ColumnElement[bool]]:
    return [] if tenant is None else [_ROWS.tenant == tenant]
