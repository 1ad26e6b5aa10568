"""Reads sums over any time: of whole days and hours as they are kept, of changed and partial hours from their rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from operator import add
from typing import Any

from sqlalchemy import (
    Alias,
    ColumnElement,
    DateTime,
    Integer,
    Select,
    Text,
    TextClause,
    and_,
    column,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    tuple_,
    union,
    union_all,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.storage.database import rows_by_name, translate_errors
from service.storage.sums.statements import BINS, FIRST, LAST, NUMBERS, sums_of_rows
from service.storage.tables import ANSWER_SUMS, STALE_HOURS

_SUMS = ANSWER_SUMS.c
_NOTES = STALE_HOURS.c


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScope:
    """Which answers to sum; a field left out restricts nothing."""

    tenant: str | None = None
    agent: str | None = None
    agent_version: str | None = None
    since: datetime | None = None
    """Earliest event time, inclusive."""
    until: datetime | None = None
    """Latest event time, exclusive."""


class Period(StrEnum):
    """Calendar periods (UTC) by which sums may be separated."""

    DAY = "day"
    WEEK = "week"
    """From Monday."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Sums over the current answers of one agent."""

    tenant: str
    agent: str
    agent_version: str | None
    """`None` also where versions are not separated."""
    judge: str | None
    """`None` also where judges are not separated."""
    period: datetime | None
    """When the period begins; `None` where periods are not separated."""
    received: int
    """Stored answers, without those that the sample rate left out."""
    scored: int
    """Answers with a score. All further sums are over these."""
    judged_wrong: int
    """Answers with verdict Potentially Incorrect or Incorrect."""
    score: float
    p_alone: float
    """Sum of the probabilities without memory."""
    p_alone_square: float
    histogram: tuple[int, ...]
    """How many answers have a score in [0, 1), [1, 2) … [99, 100), and 100."""

    def __add__(self, other: Sums) -> Sums:
        """The sums over the answers of both, under this one's names."""
        added = {name: getattr(self, name) + getattr(other, name) for name in NUMBERS}
        return replace(self, **added, histogram=tuple(map(add, self.histogram, other.histogram)))

    def percentile(self, share: float) -> float | None:
        """The least score that at least `share` of the answers do not exceed, rounded down to a whole point.

        >>> sums = Sums(tenant="t", agent="a", agent_version=None, judge=None, period=None, received=4, scored=4,
        ...     judged_wrong=0, score=0, p_alone=0, p_alone_square=0, histogram=(2, *[0] * 98, 1, 1))
        >>> sums.percentile(0.5), sums.percentile(0.7), sums.percentile(1)
        (0.0, 99.0, 100.0)
        """
        reached = 0
        for bottom, count in enumerate(self.histogram):
            reached += count
            if count and reached >= share * self.scored:
                return float(bottom)
        return None


_PARTS = "parts"
# as text, since a hundred expressions would take longer to build than the query takes to run
_BINS = ", ".join(f"sum({_PARTS}.histogram[{place}])" for place in range(1, BINS + 1))
_HISTOGRAM = literal_column(f"ARRAY[{_BINS}]", ARRAY(Integer)).label("histogram")

_MOST_RUNS = 8
"""Most runs of hours that a statement names one by one."""

Spans = Collection[tuple[str, datetime]]
"""Tenants and the begins of hours or days."""


async def read_sums(
    engine: AsyncEngine,
    wanted: AnswerScope,
    *,
    by_version: bool = False,
    by_judge: bool = False,
    period: Period | None = None,
    histogram: bool = True,
) -> list[Sums]:
    """The sums per tenant and agent (and version, judge and period), exactly as the rows say.

    Without `histogram`, which takes most of the time, that of each is empty. Raises `StoreUnavailable`.
    Sums of days are read where no hour of the day is noted; else sums of the other hours, and the rows of the noted.
    """
    asked = {"agent_version": by_version, "judge": by_judge}
    names = [name for name, separated in asked.items() if separated]
    snapshot = engine.execution_options(isolation_level="REPEATABLE READ")
    with translate_errors(engine.url):
        async with snapshot.connect() as connection:
            days, hours = await _left_out(connection, wanted)
            kept = _kept(wanted, names, period, (days, hours), histogram=histogram)
            found = rows_by_name(await connection.execute(kept))
            if hours:
                found += rows_by_name(await connection.execute(_rows(wanted, period, hours)))
    return _added(found, names if period is None else [*names, "period"], histogram=histogram)


async def _left_out(connection: AsyncConnection, wanted: AnswerScope) -> tuple[Spans, Spans]:
    """The days and the hours whose sums do not serve: they changed, or the time asked for begins or ends in them."""
    found = await connection.execute(union(_noted(wanted), _cut(wanted, "hour"), _cut(wanted, "day")))
    days, hours = set[tuple[str, datetime]](), set[tuple[str, datetime]]()
    for tenant, start, span in found:
        days.add((tenant, start.replace(hour=0)))
        if span == "hour":
            hours.add((tenant, start))
    return days, hours


def _noted(wanted: AnswerScope) -> Select[Any, Any, Any]:
    """The hours that changed."""
    noted = select(_NOTES.tenant, _NOTES.hour.label("start"), literal_column("'hour'", Text).label("span"))
    return noted.where(*_within(wanted, _NOTES.tenant, _NOTES.hour, "hour"))


def _cut(wanted: AnswerScope, span: str) -> Select[Any, Any, Any]:
    """The hours or days within which the time asked for begins or ends."""
    given = [moment for moment in (wanted.since, wanted.until) if moment is not None]
    ends = [_begin(moment, span) for moment in given if not _bounds(moment, span)]
    cut = select(_SUMS.tenant, _SUMS.start, _SUMS.span).where(_SUMS.span == span, _SUMS.start.in_(ends))
    return cut.where(*_within(wanted, _SUMS.tenant, _SUMS.start, span))


def _kept(
    wanted: AnswerScope,
    names: Collection[str],
    period: Period | None,
    left_out: tuple[Spans, Spans],
    *,
    histogram: bool,
) -> Select[Any]:
    """The sums of all days but those left out, and of the hours of these but those left out."""
    days, hours = left_out
    by_hour, from_rows = _given(days, "days"), _given(hours, "hours")
    own = tuple_(_SUMS.tenant, _SUMS.start)
    whole = select(ANSWER_SUMS).where(
        _SUMS.span == "day",
        *_within(wanted, _SUMS.tenant, _SUMS.start, "day"),
        own.not_in(select(by_hour.c.tenant, by_hour.c.start)),
    )
    # without these times the planner reads every hour that is kept
    runs = _runs({start for _, start in days}, timedelta(days=1))
    single = select(ANSWER_SUMS).where(
        _SUMS.span == "hour",
        or_(false(), *(and_(_SUMS.start >= first, _SUMS.start < end) for first, end in runs)),
        _SUMS.tenant == by_hour.c.tenant,
        _SUMS.start >= by_hour.c.start,
        _SUMS.start < by_hour.c.start + timedelta(days=1),
        *_within(wanted, _SUMS.tenant, _SUMS.start, "hour"),
        own.not_in(select(from_rows.c.tenant, from_rows.c.start)),
    )
    parts = union_all(whole, single).subquery(_PARTS)
    named = [parts.c[name] == getattr(wanted, name) for name in ("agent", "agent_version") if getattr(wanted, name)]
    groups: list[ColumnElement[Any]] = [parts.c[name] for name in ("tenant", "agent", *names)]
    if period is not None:
        groups.append(func.date_trunc(period.value, parts.c.start, "UTC").label("period"))
    totals = [func.sum(parts.c[name]).cast(_SUMS[name].type).label(name) for name in NUMBERS]
    return select(*groups, *totals, *([_HISTOGRAM] if histogram else [])).where(*named).group_by(*groups)


def _rows(wanted: AnswerScope, period: Period | None, hours: Spans) -> TextClause:
    """The sums of the rows in these hours."""
    values: dict[str, object] = {
        "tenants": [tenant for tenant, _ in hours],
        "starts": [start for _, start in hours],
    }
    # the planner leaves out the partitions of other days only if it knows the times
    runs = _runs({start for _, start in hours}, timedelta(hours=1))
    conditions = [f"({' OR '.join(_during(*run, number, values) for number, run in enumerate(runs))})"]
    if wanted.since is not None:
        conditions.append("e.occurred_at >= :since")
        values["since"] = wanted.since
    if wanted.until is not None:
        conditions.append("e.occurred_at < :until")
        values["until"] = wanted.until
    for name in ("agent", "agent_version"):
        if getattr(wanted, name) is not None:
            conditions.append(f"e.{name} = :{name}")
            values[name] = getattr(wanted, name)
    relation = "unnest(CAST(:tenants AS text[]), CAST(:starts AS timestamptz[]))"
    found = sums_of_rows(f"(SELECT * FROM {relation} AS given(tenant, start))", " AND ".join(conditions))  # noqa: S608 built from constants
    begin = "NULL" if period is None else f"date_trunc('{period.value}', start, 'UTC')"
    return text(f"SELECT *, {begin} AS period FROM ({found}) AS summed").bindparams(**values)  # noqa: S608 built from constants


def _runs(starts: Collection[datetime], length: timedelta) -> list[tuple[datetime, datetime]]:
    """The begin and the end of each run of spans of this length; the widest gaps separate the runs."""
    ordered = sorted(starts)
    gaps = sorted(range(1, len(ordered)), key=lambda place: ordered[place - 1] - ordered[place])[: _MOST_RUNS - 1]
    breaks = sorted(place for place in gaps if ordered[place] - ordered[place - 1] > length)
    return [(ordered[a], ordered[b - 1] + length) for a, b in pairwise([0, *breaks, len(ordered)]) if b > a]


def _during(begin: datetime, end: datetime, number: int, values: dict[str, object]) -> str:
    """The condition that a row's time is in these hours; the first and the last of all have no outer bound."""
    conditions: list[str] = []
    if begin > FIRST:
        conditions.append(f"e.occurred_at >= :begin_{number}")
        values[f"begin_{number}"] = begin
    if end <= LAST:
        conditions.append(f"e.occurred_at < :end_{number}")
        values[f"end_{number}"] = end
    return f"({' AND '.join(conditions) or 'true'})"


def _given(spans: Spans, name: str) -> Alias:
    columns = (column("tenant", Text), column("start", DateTime(timezone=True)))
    arrays = (
        literal([tenant for tenant, _ in spans], ARRAY(Text)),
        literal([start for _, start in spans], ARRAY(DateTime(timezone=True))),
    )
    return func.unnest(*arrays).table_valued(*columns, name=name).render_derived()


def _within(
    wanted: AnswerScope, tenant: ColumnElement[str], start: ColumnElement[datetime], span: str
) -> list[ColumnElement[bool]]:
    conditions = [tenant == wanted.tenant] if wanted.tenant is not None else []
    if wanted.since is not None:
        conditions.append(start >= _begin(wanted.since, span))
    if wanted.until is not None:
        last = _begin(wanted.until, span)
        conditions.append(start < last if _bounds(wanted.until, span) else start <= last)
    return conditions


def _bounds(moment: datetime, span: str) -> bool:
    """Whether an hour or day begins right then, so that none is cut; the first one also holds all that is earlier."""
    return FIRST < moment == _begin(moment, span)


def _begin(moment: datetime, span: str) -> datetime:
    within = min(max(moment, FIRST), LAST)
    hour = within.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return hour.replace(hour=0) if span == "day" else hour


def _added(found: Iterable[Mapping[str, Any]], names: Collection[str], *, histogram: bool) -> list[Sums]:
    """The sums of each agent, separated by the columns `names`."""
    added: dict[tuple[object, ...], Sums] = {}
    for row in found:
        each = _sums(row, names, histogram=histogram)
        who = (each.tenant, each.agent, each.agent_version, each.judge, each.period)
        added[who] = added[who] + each if who in added else each
    return list(added.values())


_SEPARATED = ("agent_version", "judge", "period")


def _sums(row: Mapping[str, Any], names: Collection[str], *, histogram: bool) -> Sums:
    given: dict[str, Any] = {name: row[name] for name in ("tenant", "agent", *NUMBERS)}
    separated: dict[str, Any] = {name: row[name] if name in names else None for name in _SEPARATED}
    return Sums(**given, **separated, histogram=tuple(row["histogram"]) if histogram else ())
