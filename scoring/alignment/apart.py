"""How far is the time that SQL keeps from the time that a question asks for?"""

from __future__ import annotations

from datetime import datetime, timedelta

from scoring.alignment.bare_periods import run_of
from scoring.values import DatePart, RelativeTime, TimeRange, Value

_DAY = timedelta(days=1)
_ALIKE = 0.15
"""Share of a length by which another may differ and still be as long."""


def are_apart(wanted: Value | None, there: Value | None, now: datetime | None, *, goes_on: bool = False) -> bool:
    """Whether two times share no moment, miss each other by a day at one end, or are as long and begin elsewhere.

    Apart, too, is a time that is over from one without an end, unless it goes on: `since last September`.

    Times that only overlap are often two readings of one phrase: `from 9 to 15 February` is within February.

    >>> june = TimeRange(datetime(2026, 6, 1), datetime(2026, 7, 1))
    >>> [are_apart(DatePart("month", month), june, datetime(2026, 8, 1)) for month in (5, 6)]
    [True, False]
    >>> are_apart(june, TimeRange(datetime(2026, 6, 1), datetime(2026, 6, 30)), None)
    True
    >>> are_apart(june, TimeRange(datetime(2026, 6, 8), datetime(2026, 6, 15)), None)
    False
    """
    one, other = time_range(wanted, there, now), time_range(there, wanted, now)
    if one is None or other is None:
        return False
    if not one.overlaps(other) or (not goes_on and _runs_on(one, other, now)):
        return True
    starts, ends = _distance(one.start, other.start), _distance(one.end, other.end)
    if starts is None or ends is None:
        return False
    if min(starts, ends) < _DAY <= max(starts, ends) <= 2 * _DAY:
        return True
    return _as_long(one, other) and max(starts, ends) >= _DAY


def _runs_on(wanted: TimeRange, there: TimeRange, now: datetime | None) -> bool:
    """Whether a time that is over is asked for, and the other begins with it and has no end."""
    over = wanted.end is not None and (now is None or wanted.end <= now)
    return over and there.end is None and _distance(wanted.start, there.start) == timedelta(0)


def time_range(value: Value | None, beside: Value | None, now: datetime | None) -> TimeRange | None:
    """The range of a time; of a bare month, the one in the year of the time beside it."""
    if isinstance(value, TimeRange):
        return value
    if isinstance(value, RelativeTime):
        return value.resolve(now) if now is not None else None
    if isinstance(value, DatePart) and isinstance(beside, (TimeRange, RelativeTime)):
        there = time_range(beside, None, now)
        edge = there and (there.start or there.end)
        return run_of(value, edge.year) if edge is not None else None
    return None


def _distance(one: datetime | None, other: datetime | None) -> timedelta | None:
    """The distance of two ends; nothing where one of them is open."""
    if one is None or other is None:
        return timedelta(0) if one is other else None
    return abs(one - other)


def is_moved(wanted: TimeRange, there: TimeRange, now: datetime | None, *, calendar: bool = False) -> bool:
    """Whether a month or more is as long and lies two days or more elsewhere, and does not end now.

    Of two times that reach to now, whether they begin two days or more apart. A company's own year may begin with any
    month, but not where `calendar` is true.
    """
    starts, ends = _distance(wanted.start, there.start), _distance(wanted.end, there.end)
    if starts is None or starts < 2 * _DAY or (not calendar and _may_be_fiscal(wanted, there)):
        return False
    if _reaches(wanted, now) and _reaches(there, now):
        return True
    ends_now = now is not None and there.end is not None and abs(there.end - now) <= 2 * _DAY
    return ends is not None and ends >= 2 * _DAY and not ends_now and is_month(wanted) and _as_long(wanted, there)


def is_month(when: TimeRange) -> bool:
    """Whether it is as long as a month or longer."""
    return when.start is not None and when.end is not None and when.end - when.start > 27 * _DAY


def is_day(when: TimeRange) -> bool:
    """Whether it is one day or less."""
    return when.start is not None and when.end is not None and when.end - when.start <= _DAY


def _may_be_fiscal(wanted: TimeRange, there: TimeRange) -> bool:
    """Whether a year is asked for, and the other begins with a month."""
    start, end = wanted.start, wanted.end
    if start is None or there.start is None or (start.month, start.day, there.start.day) != (1, 1, 1):
        return False
    return end is None or (end - start).days > 360


def _reaches(when: TimeRange, now: datetime | None) -> bool:
    """Whether it has a start, and goes on until now at least."""
    return now is not None and when.start is not None and (when.end is None or when.end >= now - _DAY)


def _as_long(one: TimeRange, other: TimeRange) -> bool:
    if one.start is None or one.end is None or other.start is None or other.end is None:
        return False
    mine, theirs = one.end - one.start, other.end - other.start
    return abs(mine - theirs) <= _ALIKE * max(mine, theirs)
