"""Is a length of time asked for met: by a bound on a number of units, or by a moment so long before or after now?"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

from scoring.alignment.bare_periods import run_of, same_month_yearly
from scoring.alignment.same_values import Context, as_number, plainest, same_value
from scoring.patterns import lazy
from scoring.specification import Op, QuestionFilter, SqlFilter
from scoring.values import LENGTHS, DatePart, Grain, Number, RelativeTime, TimeRange, other_units
from scoring.words import identifier_words

BOUNDS = {Op.GT: (1, False), Op.GE: (1, True), Op.LT: (-1, False), Op.LE: (-1, True)}
"""Each bound's side, and whether it includes its value."""
_DAY = timedelta(days=1)
_BIRTH = frozenset({"birth", "birthday", "birthdate", "born", "dob"})
_LAST = frozenset({"last", "latest", "recent", "newest"})
_NOW = lazy(r"\b(?:current_?date|current_?timestamp|curdate|now|getdate|today|sysdate|age)\b", re.IGNORECASE)


def meets_length(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether a condition on how long something takes, or how long ago it is, is applied in some form."""
    if required.op in BOUNDS and isinstance(required.rhs, Number):
        return _bounds_moment(required, present, context) or _bounds_length(required, present, context)
    if required.op is Op.NOT_WITHIN and isinstance(required.rhs, (TimeRange, DatePart)):
        return _not_since(required.rhs, present, context.moment)
    if not isinstance(required.rhs, RelativeTime):
        return False
    if required.op is Op.NOT_WITHIN:
        return _last_before(required.rhs, present, context)
    return required.op is Op.WITHIN and _counts_from_now(required.rhs, present, context)


def bounds_birth(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether a bound on an age is met by one on a date of birth: `65+` and born 65 years ago or earlier."""
    return _is_birth(present) and required.op in BOUNDS and _bounds_moment(required, present, context)


def recurs_yearly(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether a birthday or an anniversary in a month is met by that month of every year."""
    if required.op is not present.op or not isinstance(present.rhs, DatePart):
        return False
    said = required.lhs is not None and not _YEARLY.isdisjoint(required.lhs.name.split())
    if not isinstance(required.rhs, RelativeTime) or not (said or _is_birth(present)):
        return False
    return same_month_yearly(required.rhs, present.rhs, context.moment)


_YEARLY = frozenset({"birthday", "birthdays", "anniversary", "anniversaries"})


def _bounds_moment(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether a bound on a length of time is met by a moment so far from now: `overdue by more than 30 days`.

    >>> from scoring.specification import Clause
    >>> older = SqlFilter(
    ...     lhs=None, op=Op.WITHIN, rhs=RelativeTime(Grain.DAY, None, -30), block="main", clause=Clause.WHERE)
    >>> [_bounds_moment(QuestionFilter(lhs=None, op=op, rhs=Number(30), span="30", start=0), older, Context(None))
    ...     for op in (Op.GT, Op.LT)]
    [True, False]
    """
    when, number = present.rhs, as_number(required.rhs) if required.rhs is not None else None
    if number is None or present.op is not Op.WITHIN or not isinstance(when, (RelativeTime, TimeRange)):
        return False
    side = BOUNDS[required.op][0]
    if _is_birth(present):
        return _is_side(side, RelativeTime(Grain.YEAR, -int(number), 0), _one_edge(when, side), context.moment)
    is_side = _is_year_side if _holds_years(present) else _is_side
    return any(is_side(side, each, when, context.moment) for each in _ago(required, int(number), when))


def _ago(required: QuestionFilter, number: int, when: RelativeTime | TimeRange) -> list[RelativeTime]:
    """The length asked for as a time up to now, in the unit of the SQL where the question gives none."""
    ago = [each for each in required.alternatives if isinstance(each, RelativeTime)]
    return ago or ([RelativeTime(when.unit, -number, 0)] if isinstance(when, RelativeTime) else [])


def _one_edge(when: RelativeTime | TimeRange, side: int) -> RelativeTime | TimeRange:
    """The edge of a range of births that bounds ages from this side."""
    if when.start is None or when.end is None:
        return when
    return replace(when, start=None) if side > 0 else replace(when, end=None)


def _holds_years(present: SqlFilter) -> bool:
    columns = present.lhs.columns if present.lhs is not None else ()
    return any("year" in identifier_words(column.name) for column in columns)


def _is_year_side(side: int, ago: RelativeTime, when: RelativeTime | TimeRange, now: datetime | None) -> bool:
    """Whether a bound on a column of years is so many years ago, give or take the current one."""
    if now is None or ago.unit is not Grain.YEAR or ago.start is None:
        return False
    dated = when.resolve(now) if isinstance(when, RelativeTime) else when
    edge, other = (dated.end, dated.start) if side > 0 else (dated.start, dated.end)
    return edge is not None and other is None and edge.year - (now.year + ago.start) in (0, 1)


def _is_birth(present: SqlFilter) -> bool:
    columns = present.lhs.columns if present.lhs is not None else ()
    return any(not _BIRTH.isdisjoint(identifier_words(column.name)) for column in columns)


def _is_side(side: int, ago: RelativeTime, when: RelativeTime | TimeRange, now: datetime | None) -> bool:
    """Whether a range holds what is longer ago, or farther ahead, than a length; or less, with `side` below zero."""
    if ago.start is None:
        return False
    before, after = RelativeTime(ago.unit, None, ago.start), RelativeTime(ago.unit, -ago.start, None)
    since, until = RelativeTime(ago.unit, ago.start, None), RelativeTime(ago.unit, None, -ago.start)
    if side > 0:
        return any(_same_edges(each, when, now) for each in (before, after))
    closed = (RelativeTime(ago.unit, ago.start, 0), RelativeTime(ago.unit, 0, -ago.start))
    return any(_same_edges(each, when, now) for each in (since, until, *closed))


def _same_edges(wanted: RelativeTime, there: RelativeTime | TimeRange, now: datetime | None) -> bool:
    """Whether two ranges agree to the day, with the moment of the question as now."""
    if isinstance(there, RelativeTime):
        ours, theirs = plainest(wanted, reaches_now=False), plainest(there, reaches_now=False)
        return (ours.unit, ours.start, ours.end) == (theirs.unit, theirs.start, theirs.end) or (
            now is not None
            and not there.whole
            and _near(wanted.resolve(now), there.resolve(now), _slack(wanted, there))
        )
    return now is not None and _near(wanted.resolve(now), there, 2 * _DAY)


def _slack(wanted: RelativeTime, there: RelativeTime) -> timedelta:
    """How far two edges may be apart: a day, unless both are counted in hours."""
    return _DAY if LENGTHS.get(wanted.unit, _DAY) >= _DAY or LENGTHS.get(there.unit, _DAY) >= _DAY else timedelta(0)


def _near(ours: TimeRange, theirs: TimeRange, slack: timedelta) -> bool:
    for mine, other in ((ours.start, theirs.start), (ours.end, theirs.end)):
        if (mine is None) is not (other is None):
            return False
        if mine is not None and other is not None and abs(mine - other) > slack:
            return False
    return True


def _bounds_length(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether both bound a length of time from the same side.

    The bound itself may be included or not, but not that of whole days or longer units: `more than 30 days`.
    """
    side, theirs = BOUNDS.get(required.op), BOUNDS.get(present.op)
    if side is None or theirs is None or not required.alternatives or side[0] != theirs[0]:
        return False
    if _in_milliseconds(present):
        return _is_milliseconds(required, present)
    if required.rhs is not None and same_value(required.rhs, present.rhs, context):
        if has_other_unit(required, present):
            return False
        return side[1] is theirs[1] or not _is_whole_days(required)
    return any(same_value(form, present.rhs, context) for form in required.alternatives)


def _is_milliseconds(required: QuestionFilter, present: SqlFilter) -> bool:
    """Whether the number that is compared is the length in milliseconds."""
    count = as_number(present.rhs) if present.rhs is not None else None
    return count is not None and any(abs(count - each) < 1 for each in _milliseconds(required))


def _in_milliseconds(present: SqlFilter) -> bool:
    columns = present.lhs.columns if present.lhs is not None else ()
    if present.lhs is None or len(columns) != 1 or present.lhs.name != columns[0].name:
        return False
    return not _THOUSANDTHS.isdisjoint(identifier_words(columns[0].name)[-1:])


_THOUSANDTHS = frozenset({"ms", "msec", "msecs", "millis", "milliseconds", "millisecond"})


def _milliseconds(required: QuestionFilter) -> list[float]:
    """The length asked for in thousandths of a second."""
    number = as_number(required.rhs) if required.rhs is not None else None
    units = [each.unit for each in required.alternatives if isinstance(each, RelativeTime)]
    return [(number or 0) * LENGTHS[unit].total_seconds() * 1000 for unit in units if unit in LENGTHS]


def has_other_unit(required: QuestionFilter, present: SqlFilter) -> bool:
    """Whether a column's name says that it counts another unit of time than the question: `delay_minutes > 2` hours."""
    asked = {each.unit for each in required.alternatives if isinstance(each, RelativeTime)}
    if asked and _in_milliseconds(present):
        return True
    if not asked or present.lhs is None or present.lhs.name != (present.lhs.columns or (present.lhs,))[0].name:
        return False
    named = {unit for word in identifier_words(present.lhs.name)[-1:] if (unit := _NAMED.get(word)) is not None}
    return bool(named) and named.isdisjoint(asked)


_NAMED = {name: grain for grain in Grain for name in (grain.value, f"{grain.value}s")}


def _is_whole_days(required: QuestionFilter) -> bool:
    units = {each.unit for each in required.alternatives if isinstance(each, RelativeTime)}
    return not units.isdisjoint({Grain.DAY, Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR})


def _last_before(wanted: RelativeTime, present: SqlFilter, context: Context) -> bool:
    """`not in the last 90 days` as the last time before that: MAX of a time, or a column such as `last_login_at`.

    Any time before would not do: who ordered long ago may have ordered again.
    """
    if wanted.start is None or wanted.end not in (0, None) or not _is_last_time(present):
        return False
    if present.op in (Op.GT, Op.GE):
        return _is_count(wanted, present, context)
    if present.op is not Op.WITHIN or not isinstance(present.rhs, (RelativeTime, TimeRange)):
        return False
    return _same_edges(RelativeTime(wanted.unit, None, wanted.start, wanted.whole), present.rhs, context.moment)


def _not_since(wanted: TimeRange | DatePart, present: SqlFilter, now: datetime | None) -> bool:
    """`not since August` as a last time before that month, or before its end."""
    there = present.rhs.resolve(now) if isinstance(present.rhs, RelativeTime) and now is not None else present.rhs
    if not _is_last_time(present) or present.op is not Op.WITHIN or not isinstance(there, TimeRange):
        return False
    end = there.end if there.start is None else None
    return end is not None and any(abs(edge - end) <= _DAY for edge in _edges(wanted, end.year))


def _edges(wanted: TimeRange | DatePart, year: int) -> list[datetime]:
    """The moments from which on nothing has happened."""
    if isinstance(wanted, TimeRange):
        return [wanted.start] if wanted.end is None and wanted.start is not None else []
    first = replace(wanted, last=None)
    runs = [run_of(first, each) for each in (year - 1, year)] if wanted.last is not None else []
    edges = [edge for run in runs if run is not None for edge in (run.start, run.end)]
    return [edge for edge in edges if edge is not None]


def _is_last_time(present: SqlFilter) -> bool:
    if present.lhs is None:
        return False
    words = {word for column in present.lhs.columns for word in identifier_words(column.name)}
    return present.lhs.func == "MAX" or not _LAST.isdisjoint(words)


def _counts_from_now(wanted: RelativeTime, present: SqlFilter, context: Context) -> bool:
    """`in the next 30 days` as a number of days between now and a date that is at most 30."""
    if present.op not in (Op.LT, Op.LE) or present.lhs is None or wanted.whole or 0 not in (wanted.start, wanted.end):
        return False
    return _NOW.search(present.lhs.name) is not None and _is_count(wanted, present, context)


def _is_count(wanted: RelativeTime, present: SqlFilter, context: Context) -> bool:
    """Whether a number is that of the units of a range, perhaps in another unit."""
    count = as_number(present.rhs) if present.rhs is not None else None
    size = abs(wanted.start or wanted.end or 0)
    forms = [size, *(each.value for each in other_units(float(size), wanted.unit))]
    return count is not None and any(abs(count - each) < 1e-6 for each in forms)
