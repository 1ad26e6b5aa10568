"""When a version of an agent began, and which version answered before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows
from service.storage.scores.evaluation_pages import EvaluationFilter, current_rows
from service.storage.sums.reading import AnswerScope, Period, read_sums
from service.storage.sums.statements import FIRST, LAST
from service.storage.tables import EVALUATIONS

BACK = timedelta(days=28)
"""How far back the answers go that a version is compared with."""
_ROWS = EVALUATIONS.c


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionBegin:
    """The begin of a version."""

    first: datetime
    """Its first answer."""
    before: str | None
    """The version of the last answer before, by the same agent; `None` where that has no name."""


async def version_begin(engine: AsyncEngine, wanted: AnswerScope) -> VersionBegin | None:
    """The begin of the version in scope, whatever its times; `None` without answers before. Raises `StoreUnavailable`.

    Where several agents have a version of this name, it is that of the one that began last.
    """
    own = replace(wanted, since=None, until=None)
    sums = await read_sums(engine, own, by_version=True, period=Period.DAY, histogram=False)
    days: dict[tuple[str, str], datetime] = {}
    for each in sums:
        if each.period is not None and each.received:
            who = each.tenant, each.agent
            days[who] = min(days.get(who, each.period), each.period)
    if not days:
        return None
    (tenant, agent), day = max(days.items(), key=lambda each: each[1])
    own = replace(own, tenant=tenant, agent=agent, since=day, until=day + timedelta(days=1))
    first = await fetch_rows(engine, _moments(own).order_by(_ROWS.occurred_at).limit(1))
    if not first:
        return None
    moment = first[0]["occurred_at"]
    earlier = replace(own, agent_version=None, since=moment - BACK, until=moment)
    before = await fetch_rows(engine, _moments(earlier).order_by(_ROWS.occurred_at.desc()).limit(1))
    return VersionBegin(first=moment, before=before[0]["agent_version"]) if before else None


async def times_of_version(engine: AsyncEngine, scope: AnswerScope) -> AnswerScope:
    """The scope without the days before and after the answers of its version, which the sums know.

    Without this a list reads all other answers of these days to find none of the version. Raises `StoreUnavailable`.
    """
    if scope.agent_version is None:
        return scope
    sums = await read_sums(engine, scope, by_version=True, period=Period.DAY, histogram=False)
    days = [each.period for each in sums if each.period is not None]
    if not days:
        return scope
    first, last = min(days), max(days)
    # the first and the last day of the sums hold all that is earlier or later
    since = max(filter(None, (scope.since, first if first.date() > FIRST.date() else None)), default=None)
    end = last + timedelta(days=1) if last.date() < LAST.date() else None
    return replace(scope, since=since, until=min(filter(None, (scope.until, end)), default=None))


def _moments(scope: AnswerScope) -> Select[Any]:
    names = {name: getattr(scope, name) for name in AnswerScope.__dataclass_fields__}
    columns: list[ColumnElement[Any]] = [_ROWS.occurred_at, _ROWS.agent_version]
    return select(*columns).where(*current_rows(EvaluationFilter(**names)))
