"""Dates and times in SQL: ISO text, calendar units, and times relative to now."""

from __future__ import annotations

import re
from datetime import datetime
from types import MappingProxyType
from typing import TypeAlias

from sqlglot import exp

from scoring.immutable import immutable
from scoring.patterns import lazy
from scoring.sql.terms import Node
from scoring.values import LENGTHS, MONTHS, Boolean, Expression, Grain, Number, Text, TimeRange, floor, period, shift


@immutable(kw_only=False)
class Now:
    """A moment relative to now: `CURRENT_DATE - INTERVAL 30 DAY` is (day, -30)."""

    unit: Grain
    offset: int = 0
    whole: bool = False
    """Cut to the start of its unit."""
    number: bool = False
    """It is a number, as YEAR(CURRENT_DATE) is: adding 1 to it adds one unit."""


Constant: TypeAlias = Text | Number | Boolean | TimeRange | Now | Expression
"""A value that reads no column; a date is the range of its unit: `2023-05-01` is that day."""

_ISO = lazy(
    r"(?P<year>\d{4})(?P<sep>[-/])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})"
    r"(?:[T ](?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.\d{1,9})?)?"
    r"\s?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?|[A-Za-z]{3,10}/[A-Za-z_]{3,20})?)?",
    re.ASCII,
)

UNITS = MappingProxyType(
    {
        name: grain
        for grain, names in {
            Grain.SECOND: "second seconds sec secs s ss",
            Grain.MINUTE: "minute minutes min mins mi n",
            Grain.HOUR: "hour hours hr hrs hh h",
            Grain.DAY: "day days d dd dayofyear ddd",
            Grain.WEEK: "week weeks wk ww w isoweek iso_week isowk isoww iw",
            Grain.MONTH: "month months mon mons mm m",
            Grain.QUARTER: "quarter quarters qtr q qq",
            Grain.YEAR: "year years yr yrs yy yyyy y isoyear",
        }.items()
        for name in names.split()
    }
)
"""Names of calendar units, in lower case, in any dialect."""


def moment(raw: str) -> TimeRange | None:
    """The day or second that an ISO date or timestamp names; midnight is its day.

    >>> str(moment("2023-05-01")), str(moment("2023-05-01 10:00:00"))
    ('[2023-05-01, 2023-05-02)', '[2023-05-01 10:00:00, 2023-05-01 10:00:01)')
    """
    found = _ISO.fullmatch(raw.strip()) if raw[:5].strip()[:1].isdigit() else None
    if found is None:
        return _run_together(raw)
    year, month, day = (int(found[part]) for part in ("year", "month", "day"))
    hour, minute, second = (int(found[part] or 0) for part in ("hour", "minute", "second"))
    if not (hour or minute or second):
        return period(Grain.DAY, year=year, month=month, day=day)
    try:
        start = datetime(year, month, day, hour, minute, second)
    except ValueError:
        return None
    return TimeRange(start, shift(start, Grain.SECOND, 1))


def _run_together(raw: str) -> TimeRange | None:
    """The day of a date without separators: `20230501`, as T-SQL has it."""
    if len(raw) != len("20230501") or not raw.isdecimal() or raw[:2] not in ("19", "20"):
        return None
    return period(Grain.DAY, year=int(raw[:4]), month=int(raw[4:6]), day=int(raw[6:]))


def unit_named(node: Node | None) -> Grain | None:
    """The calendar unit that a unit argument names."""
    if node is None:
        return None
    if type(node) is exp.WeekStart:
        return Grain.WEEK
    name = node.name.lower().partition("(")[0]
    return UNITS.get(name)


def moved(start: Constant | None, unit: Grain | None, count: int | None) -> Constant | None:
    """A date or a time relative to now, moved by a number of units; `None` if the result is neither."""
    if unit is None or count is None:
        return None
    if isinstance(start, TimeRange):
        return TimeRange(
            None if start.start is None else shift(start.start, unit, count),
            None if start.end is None else shift(start.end, unit, count),
        )
    return _moved_now(start, unit, count) if isinstance(start, Now) else None


def _moved_now(start: Now, unit: Grain, count: int) -> Now | None:
    if start.unit is unit:
        return Now(unit, start.offset + count, start.whole, start.number)
    if start.whole and not start.number and (same := _in_units(start.unit, unit, count)) is not None:
        return Now(start.unit, start.offset + same, whole=True)
    if start.whole and not start.number and (unit, count) == (Grain.DAY, -1) and start.unit in _SPANS:
        return Now(start.unit, start.offset - 1, whole=True)  # the last day of the one before, as LAST_DAY gives it
    to_the_day = not start.whole or (start.unit is Grain.DAY and not start.number)
    return Now(unit, count) if start.offset == 0 and to_the_day else None


_SPANS = frozenset({Grain.WEEK, Grain.MONTH, Grain.QUARTER, Grain.YEAR})


def _in_units(own: Grain, unit: Grain, count: int) -> int | None:
    """A number of units as whole units of another kind, if it is that: 7 days are a week, 3 months a quarter.

    >>> _in_units(Grain.WEEK, Grain.DAY, -14), _in_units(Grain.YEAR, Grain.DAY, 3)
    (-2, None)
    """
    if own in MONTHS and unit in MONTHS:
        size, each = MONTHS[own], MONTHS[unit]
    elif own in LENGTHS and unit in LENGTHS:
        size, each = (int(LENGTHS[grain].total_seconds()) for grain in (own, unit))
    else:
        return None
    whole, rest = divmod(count * each, size)
    return whole if rest == 0 else None


def cut(start: Constant | None, unit: Grain | None) -> Constant | None:
    """A date or a time relative to now, cut to the start of its unit."""
    if unit is None:
        return None
    if isinstance(start, Now):
        same = start.unit is unit or start.offset == 0
        offset = start.offset if same else _in_units(unit, start.unit, start.offset)
        return None if offset is None else Now(unit, offset, whole=True)
    if isinstance(start, TimeRange) and start.start is not None:
        first = floor(start.start, unit)
        return TimeRange(first, shift(first, Grain.DAY, 1))
    return None
