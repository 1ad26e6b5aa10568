"""Periods that the SQL restricts to in several places: by WHERE and CASE together, or two side by side in one range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import permutations

from scoring.alignment.bare_periods import run_of
from scoring.alignment.same_values import Context, same_value
from scoring.patterns import lazy
from scoring.specification import Clause, Op, QuestionFilter, SqlFilter, SqlSpec
from scoring.values import Choices, DatePart, RelativeTime, TimeRange, Value, intersect
from scoring.verdict import FilterMatch
from scoring.words import identifier_words

_CONDITIONAL = frozenset({Clause.CASE, Clause.FILTER})
_DAY = timedelta(days=1)
_MOST = 40
_BY_TIME = lazy(
    r"\b(?:year|quarter|month|week|date_trunc|strftime|date|to_char|format)\b|_trunc\b|\btostartof|\btoyyyymm",
    re.IGNORECASE,
)


def time_pieces(present: Sequence[SqlFilter], context: Context) -> list[tuple[SqlFilter, tuple[SqlFilter, ...]]]:
    """What two conditions on one time come to together, with the two: a CASE within the range of a WHERE.

    So do those of a query and of one that it reads: rows from June on, of which July and later are shown.
    """
    timed = [each for each in present[:_MOST] if _is_range(each)]
    found: list[tuple[SqlFilter, tuple[SqlFilter, ...]]] = []
    for one in timed:
        for other in timed:
            if one.clause not in _CONDITIONAL and not other.block.startswith(f"{one.block}/"):
                continue
            both = _together(one, other, context.moment) if other is not one and _same_column(one, other) else None
            if both is not None:
                found.append((replace(one, rhs=both), (one, other)))
    found += _of_intervals(timed, present, context.moment)
    return found + [piece for each in present[:_MOST] for piece in _of_years(each, present[:_MOST])]


_BEGINS = frozenset("start starts started begin begins began from in arrival opened since effective valid".split())
_ENDS = frozenset("end ends ended to until till thru through out departure expiry expires expiration closed".split())


def _of_intervals(
    timed: Sequence[SqlFilter], present: Sequence[SqlFilter], now: datetime | None
) -> list[tuple[SqlFilter, tuple[SqlFilter, ...]]]:
    """The period of rows that last from one column to another: those within it, or those that overlap it.

    Within: `starts >= '2025-01-01' AND ends < '2026-01-01'`. Overlapping: `starts < '2026-01-01' AND ends >=
    '2025-01-01'`, where the end may be the day after: of a departure.
    """
    found: list[tuple[SqlFilter, tuple[SqlFilter, ...]]] = []
    for one, other in permutations([each for each in timed if _is_sure(each, present)], 2):
        if one.block != other.block or not (_is_named(one, _BEGINS) and _is_named(other, _ENDS)):
            continue
        begins, ends = _dated(one.rhs, now), _dated(other.rhs, now)
        spans = _spanned(begins, ends) if begins is not None and ends is not None else []
        # things that are free in a period have no row which overlaps it
        found += [(replace(one, op=op, rhs=span), (one, other)) for span in spans for op in (Op.WITHIN, Op.NOT_WITHIN)]
    return found


def _is_sure(each: SqlFilter, present: Sequence[SqlFilter]) -> bool:
    """Whether a condition has no alternative but that its column is empty: `end_date IS NULL`."""
    others = [other for other in present if each.alternative is not None and other.alternative == each.alternative]
    return all(other is each or (other.op is Op.IS_NULL and other.lhs == each.lhs) for other in others)


def _spanned(begins: TimeRange, ends: TimeRange) -> list[TimeRange]:
    """The periods that bounds on a beginning and on an end may mean together."""
    if begins.end is None and ends.start is None:
        return [TimeRange(begins.start, ends.end)]
    if begins.start is not None or ends.end is not None or ends.start is None:
        return []
    return [TimeRange(first, begins.end) for first in (ends.start, ends.start - _DAY)]


def _is_named(each: SqlFilter, words: frozenset[str]) -> bool:
    columns = each.lhs.columns if each.lhs is not None else ()
    return len(columns) == 1 and not words.isdisjoint(identifier_words(columns[0].name))


def _of_years(part: SqlFilter, present: Sequence[SqlFilter]) -> list[tuple[SqlFilter, tuple[SqlFilter, ...]]]:
    """The same month or quarter of each of several years: `QUARTER(d) = 3 AND YEAR(d) IN (2025, 2026)`."""
    if not isinstance(part.rhs, DatePart) or part.op is not Op.WITHIN:
        return []
    others = [each for each in present if each is not part and _same_column(part, each)]
    runs = [(each, run_of(part.rhs, year)) for each in others for year in _years(each.rhs)]
    return [(replace(part, rhs=run), (part, each)) for each, run in runs if run is not None]


def _years(value: Value | None) -> list[int]:
    """The calendar years that a range or a list of ranges holds whole."""
    members = value.members if isinstance(value, Choices) else {value}
    found: set[int] = set()
    for each in members:
        if not isinstance(each, TimeRange) or each.start is None or each.end is None:
            return []
        if (each.start.month, each.start.day, each.end.month, each.end.day) != (1, 1, 1, 1):
            return []
        found.update(range(each.start.year, min(each.end.year, each.start.year + _MOST_YEARS)))
    return sorted(found)


_MOST_YEARS = 10


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
    chained = [match for each in unmet[:8] if (match := _chained(each, present, sql, context)) is not None]
    if chained or context.moment is None or len(unmet) < 2 or not _tells_times_apart(sql):
        return chained
    asked = [each for each in unmet[:8] if each.op is Op.WITHIN]
    for one, other in permutations(asked, 2):
        met = _holding(present, _hulls(one.rhs, other.rhs, context.moment), context.moment)
        if met is not None:
            return [FilterMatch(one, (met,)), FilterMatch(other, (met,))]
    return []


def _hulls(one: Value | None, other: Value | None, now: datetime) -> list[TimeRange]:
    hulls = [_hull(first, second) for first in _spans(one, now) for second in _spans(other, now)]
    return [hull for hull in hulls if hull is not None]


def _holding(present: Sequence[SqlFilter], hulls: list[TimeRange], now: datetime) -> SqlFilter | None:
    return next((each for each in present[:_MOST] if any(_fills(each, hull, now) for hull in hulls)), None)


def _chained(each: QuestionFilter, present: Sequence[SqlFilter], sql: SqlSpec, context: Context) -> FilterMatch | None:
    """A period that the arms of a UNION have between them, one after the other."""
    unites = any(link.kind.startswith("union") for link in sql.set_operations)
    if each.op is not Op.WITHIN or not unites:
        return None
    spans = {other: span for other in present[:_MOST] if (span := _within(other, context.moment)) is not None}
    whole = _chain(list(spans.values())) if len({other.block for other in spans}) == len(spans) > 1 else None
    same = whole is not None and same_value(each.rhs, whole, context)
    return FilterMatch(each, tuple(spans)) if same else None


def _within(each: SqlFilter, now: datetime | None) -> TimeRange | None:
    return _dated(each.rhs, now) if each.op is Op.WITHIN else None


def _chain(spans: list[TimeRange]) -> TimeRange | None:
    """Ranges that follow one another as one."""
    spans = sorted(spans, key=lambda span: span.start or datetime.min)
    whole: TimeRange | None = spans[0]
    for span in spans[1:]:
        whole = _hull(whole, span) if whole is not None else None
    return whole


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
    timed = {column for each in sql.filters if _is_range(each) and each.lhs is not None for column in each.lhs.columns}
    return any(_BY_TIME.search(key.operand.name) or timed & {*key.operand.columns} for key in sql.group_by)
