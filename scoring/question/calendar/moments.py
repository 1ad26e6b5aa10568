"""A time at some tokens of a question, and what all readers of times share."""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from scoring.immutable import immutable
from scoring.patterns import lazy
from scoring.values import DatePart, Grain, RelativeTime, TimeRange, period

Moment: TypeAlias = TimeRange | RelativeTime | DatePart

YEAR = lazy(r"(1[5-9]\d\d|20\d\d)")
DAY = lazy(r"(\d{1,2})(?:st|nd|rd|th)?")
PARTS_OF_YEAR = {"month": 12, "quarter": 4}
"""The parts that a year has, with how many."""
YEAR_EARLIER = RelativeTime(Grain.YEAR, -1, -1, whole=True)
"""The same part of the year before: as much of it as this year has had."""
UNIT_EARLIER = tuple(RelativeTime(grain, -1, -1, whole=True) for grain in (Grain.WEEK, Grain.MONTH, Grain.QUARTER))
"""`the month before`: that before the period named last, if that is one of them; else no time."""
JOINTS = frozenset({",", "in"})
"""Words between a day or quarter and its year."""


@immutable(kw_only=False)
class Time:
    """A time at tokens [start, end)."""

    moment: Moment
    start: int
    end: int
    explicit: bool = True
    """Its form alone says that it is a time."""
    others: tuple[Moment, ...] = ()
    """What else it may mean: the very second, where a clock time follows a date; `in the last month`, until now."""


def calendar_range(year: int, month: int, day: int | None) -> TimeRange | None:
    """A month or a day; `None` if it does not exist."""
    if not (0 < year <= 9999 and 1 <= month <= 12):
        return None
    return (
        period(Grain.MONTH, year=year, month=month)
        if day is None
        else period(Grain.DAY, year=year, month=month, day=day)
    )


def year_span(first: int, after: int, start: int, end: int) -> Time | None:
    """The years from `first` until before `after`, at tokens [start, end)."""
    if not (1 <= first < after <= 9999):
        return None
    return Time(TimeRange(datetime(first, 1, 1), datetime(after, 1, 1)), start, end)
