"""Periods that the SQL restricts to in several places: by WHERE and CASE together, or two side by side in one range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from scoring.alignment.bare_periods import run_of
from scoring.alignment.same_values import Context, same_value
from scoring.specification import Clause, Op, QuestionFilter, SqlFilter, SqlSpec
from scoring.values import DatePart, RelativeTime, TimeRange, Value, intersect
from scoring.verdict import FilterMatch

_CONDITIONAL = frozenset({Clause.CASE, Clause.FILTER})
_DAY = timedelta(days=1)
_MOST = 40
_BY_TIME = re.compile(
    r"\b(?:year|quarter|month|week|date_trunc|strftime|date|to_char|format)\b|_trunc\b", re.IGNORECASE
)


def time_pieces(present: Sequence[SqlFilter], context: Context) -> list[tuple[SqlFilter, tuple[SqlFilter, ...]]]:
    """What two conditions on one time come to together, with the two: a CASE within the range of a WHERE."""
    timed = [each for each in present[:_MOST] if _is_range(each)]
    found: list[tuple[SqlFilter, tuple[SqlFilter, ...]]] = []
    for one in timed:
        if one.clause not in _CONDITIONAL:
            continue
        for other in timed:
            both = _together(one, other, context.moment) if other is not one and _same_column(one, other) else None
            if both is not None:
                found.append((replace(one, rhs=both), (one, other)))
    return found


def _is_range(each: SqlFilter) -> bool:
    return each.op is Op.WITHIN and each.lhs is not None and isinstance(each.rhs, (TimeRange, RelativeTime))


def _same_column(one: SqlFilter, other: SqlFilter) -> bool:
    if one.lhs is None or other.lhs is None or one.lhs.columns != other.lhs.columns:
        return False
    return other.block == one.block or other.block.startswith(f"{one.block}/")


def _together(one: SqlFilter, other: SqlFilter, now: datetime | None) -> TimeRange | None:
    ours, theirs = _dated(one.rhs, now), _dated(other.rhs, now)
    if ours is None or theirs is None or not ours.overlaps(theirs):
        return None
    return intersect(ours, theirs)


def _dated(value: Value | None, now: datetime | None) -> TimeRange | None:
    if isinstance(value, RelativeTime):
        return None if now is None else value.resolve(now)
    return value if isinstance(value, TimeRange) else None


def side_by_side(
    unmet: Sequence[QuestionFilter], present: Sequence[SqlFilter], sql: SqlSpec, context: Context
) -> list[FilterMatch]:
    """Periods that follow one another, met by one range that holds just them, where the answer tells them apart.

    `this month vs last month`: `placed >= '2026-10-01' … GROUP BY month`.
    """
    now = context.moment
    chained = [match for each in unmet[:8] if (match := _chained(each, present, sql, context)) is not None]
    if chained:
        return chained
    if now is None or len(unmet) < 2 or not _tells_times_apart(sql):
        return []
    asked = [(each, spans) for each in unmet[:8] if each.op is Op.WITHIN and (spans := _spans(each.rhs, now))]
    for one, firsts in asked:
        for other, seconds in asked:
            hulls = [hull for first in firsts for second in seconds if (hull := _hull(first, second)) is not None]
            met = next((each for each in present[:_MOST] if any(_fills(each, hull, now) for hull in hulls)), None)
            if met is not None:
                return [FilterMatch(one, (met,)), FilterMatch(other, (met,))]
    return []


def _chained(each: QuestionFilter, present: Sequence[SqlFilter], sql: SqlSpec, context: Context) -> FilterMatch | None:
    """A period that the arms of a UNION have between them, one after the other."""
    if each.op is not Op.WITHIN or not any(link.kind.startswith("union") for link in sql.set_operations):
        return None
    within = [other for other in present[:_MOST] if other.op is Op.WITHIN]
    dated = [(other, span) for other in within if (span := _dated(other.rhs, context.moment)) is not None]
    dated.sort(key=lambda pair: pair[1].start or datetime.min)
    whole: TimeRange | None = dated[0][1] if dated else None
    for _, span in dated[1:]:
        whole = _hull(whole, span) if whole is not None else None
    if whole is None or len({other.block for other, _ in dated}) < max(len(dated), 2):
        return None
    return FilterMatch(each, tuple(other for other, _ in dated)) if same_value(each.rhs, whole, context) else None


def _spans(value: Value | None, now: datetime) -> list[TimeRange]:
    if isinstance(value, DatePart):
        runs = [run_of(value, year) for year in (now.year - 1, now.year)]
        return [run for run in runs if run is not None and run.start is not None and run.start <= now]
    dated = _dated(value, now)
    return [dated] if dated is not None else []


def _hull(first: TimeRange, second: TimeRange) -> TimeRange | None:
    """Both as one range, if the second begins where the first ends."""
    if first.end is None or second.start is None or abs(first.end - second.start) > timedelta(seconds=1):
        return None
    return TimeRange(first.start, second.end)


def _fills(each: SqlFilter, hull: TimeRange, now: datetime) -> bool:
    there = _dated(each.rhs, now) if each.op is Op.WITHIN else None
    if there is None or there.start is None or hull.start is None or abs(there.start - hull.start) >= _DAY:
        return False
    if there.end is None or hull.end is None:
        return hull.end is None or hull.end > now
    return abs(there.end - hull.end) <= timedelta(seconds=1) or min(there.end, hull.end) >= now - _DAY


def _tells_times_apart(sql: SqlSpec) -> bool:
    """Whether rows are grouped by a time, or an aggregate has a condition."""
    if any(each.clause in _CONDITIONAL for each in sql.filters) or any(each.conditional for each in sql.aggregations):
        return True
    return any(_BY_TIME.search(key.operand.name) for key in sql.group_by)
