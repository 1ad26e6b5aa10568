"""Columns that stand for a whole month, quarter, week or year by one of its days: `month_start = '2026-08-01'`."""

from __future__ import annotations

from datetime import timedelta
from types import MappingProxyType

from scoring.values import Grain, TimeRange, floor, shift
from scoring.words import identifier_words

_DAY = timedelta(days=1)
_NAMED = MappingProxyType(
    {
        "month": Grain.MONTH,
        "mth": Grain.MONTH,
        "ym": Grain.MONTH,
        "yearmonth": Grain.MONTH,
        "period": Grain.MONTH,
        "quarter": Grain.QUARTER,
        "qtr": Grain.QUARTER,
        "week": Grain.WEEK,
        "wk": Grain.WEEK,
        "year": Grain.YEAR,
    }
)
_EDGES = frozenset({"start", "begin", "beginning", "first", "end", "last", "ending", "starting"})
_OTHERS = frozenset({"date", "day", "on", "of", "the", "key", "dt", "cd", "code"}) | _EDGES
"""Words beside that of a period that say which day stands for it."""


def period_kept(column: str, day: TimeRange) -> TimeRange:
    """The whole period for its first or last day, where the column is named after periods; else the day as it is.

    >>> from datetime import datetime
    >>> first = TimeRange(datetime(2026, 8, 1), datetime(2026, 8, 2))
    >>> [str(period_kept(name, first)) for name in ("month_start", "billing_month", "quarter", "placed_on")]
    ['[2026-08-01, 2026-09-01)', '[2026-08-01, 2026-09-01)', '[2026-08-01, 2026-08-02)', '[2026-08-01, 2026-08-02)']
    """
    grain = _grain_named(column)
    if grain is None or day.start is None or day.end is None or day.end - day.start != _DAY:
        return day
    if grain is Grain.WEEK:
        return _week(column, day, day.start.isoweekday())
    first = floor(day.start, grain)
    after = shift(first, grain, 1)
    return TimeRange(first, after) if day.start == first or day.end == after else day


def _week(column: str, day: TimeRange, weekday: int) -> TimeRange:
    """Seven days from a Monday or Sunday, or to one where the column holds the end."""
    if day.start is None or day.end is None or weekday not in (1, 6, 7):
        return day
    if not _ENDS.isdisjoint(identifier_words(column)):
        return TimeRange(day.end - 7 * _DAY, day.end)
    return TimeRange(day.start, day.start + 7 * _DAY) if weekday != 6 else day


_ENDS = frozenset({"end", "ending", "last"})


def _grain_named(column: str) -> Grain | None:
    """The period that a column's name says it holds: `month_start`, `period_month`, `sales_week`."""
    words = identifier_words(column)
    places = [place for place, word in enumerate(words) if word in _NAMED]
    if not places or not _OTHERS.issuperset(words[places[-1] + 1 :]):
        return None
    found = [_NAMED[words[place]] for place in places]
    if "period" in words and len(found) > 1:
        found = [grain for word, grain in _NAMED.items() if word in words and word != "period"]
    return found[0] if len(found) == 1 else None
