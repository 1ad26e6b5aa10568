"""Calls that give a date, as some databases name them: `yesterday()`, `toDateTime('…')`, `subtractDays(today(), 7)`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from sqlglot import exp

from scoring.patterns import lazy
from scoring.sql.calendar.moments import UNITS, Constant, Now, cut, moment, moved
from scoring.sql.terms import Node
from scoring.values import Grain, Number, TimeRange, period

_SAME = frozenset(
    "todate todate32 todatetime todatetime32 todatetime64 parsedatetimebesteffort parsedatetime64besteffort "
    "assumenotnull to_timestamp_ntz to_timestamp_ltz to_timestamp_tz to_datetime".split()
)
"""Calls that change the type of a date only."""
_DAYS = MappingProxyType({"yesterday": -1, "tomorrow": 1})
_MOVES = lazy(r"(?P<way>add|subtract)(?P<unit>[a-z]+s)")
_MADE = frozenset({"makedate", "makedate32", "make_date", "date_from_parts", "datefromparts"})
_STARTS = MappingProxyType({"tostartofweek": Grain.WEEK, "tostartofhour": Grain.HOUR, "trunc": Grain.DAY})
PARTS = MappingProxyType(
    {
        "toyear": "year",
        "toquarter": "quarter",
        "tomonth": "month",
        "todayofmonth": "day",
        "tohour": "hour",
        "toyyyymm": "%Y%m",
        "toyyyymmdd": "%Y%m%d",
        "tostartofweek": "trunc:week",
        "todatetime": "%Y-%m-%d",
        "datetime": "%Y-%m-%d",
        "to_date": "%Y-%m-%d",
        "todate": "%Y-%m-%d",
        "yearweek": "trunc:week",
        "weekday": "mondayweekday",
    }
)
"""Calls that take a part of a date, with the part."""
SILENT_CALLS = frozenset({"assumenotnull", "tonullable", "materialize", "todatetime"})
"""Calls around a date that leave it as it is."""


def called_date(name: str, values: Sequence[Constant | None]) -> Constant | None:
    """The date that a call of constants gives.

    >>> called_date("yesterday", [])
    Now(unit=<Grain.DAY: 'day'>, offset=-1, whole=False, number=False)
    >>> called_date("subtractmonths", [Now(Grain.DAY), Number(2)])
    Now(unit=<Grain.MONTH: 'month'>, offset=-2, whole=False, number=False)
    >>> str(called_date("make_date", [Number(2026), Number(5), Number(1)]))
    '[2026-05-01, 2026-05-02)'
    """
    if not values:
        return Now(Grain.DAY, _DAYS[name]) if name in _DAYS else None
    first = values[0]
    if name in _MADE:
        return from_parts(values)
    if not isinstance(first, (Now, TimeRange)):
        return None
    if name in _SAME:
        return first
    if name in _STARTS:
        return cut(first, _STARTS[name]) if len(values) == 1 or name == "tostartofweek" else None
    if name in PARTS and isinstance(first, Now):
        return part_now(first, UNITS.get(PARTS[name]))
    return _moved(name, first, values[1:])


def _moved(name: str, start: Constant, counts: Sequence[Constant | None]) -> Constant | None:
    found = _MOVES.fullmatch(name)
    if found is None or len(counts) != 1 or not isinstance(counts[0], Number):
        return None
    count = int(counts[0].value) if abs(counts[0].value) < 1e6 else None
    return moved(start, UNITS.get(found["unit"]), count if found["way"] == "add" or count is None else -count)


def part_now(value: Now, grain: Grain | None) -> Now | None:
    """The number of this year, quarter or month, or of the one before."""
    if grain is None or grain not in (Grain.YEAR, Grain.QUARTER, Grain.MONTH):
        return None
    if value.offset not in (0, -1) or (value.offset and value.unit is not grain):
        return None
    return Now(grain, value.offset if grain is value.unit else 0, whole=True, number=True)


def from_parts(values: Sequence[Constant | None]) -> Constant | None:
    """The day of a year, a month and a day; the first of this year or month where they are those of now.

    >>> from_parts([Now(Grain.YEAR, -1, whole=True, number=True), Number(1), Number(1)])
    Now(unit=<Grain.YEAR: 'year'>, offset=-1, whole=True, number=False)
    """
    if len(values) == _YEAR_AND_DAY and values[1] == Number(1):
        values = (*values, Number(1))  # `MAKEDATE(YEAR(CURDATE()), 1)`: the first day of a year
    if len(values) != 3:
        return None
    year, month, day = values
    if all(isinstance(each, Number) and abs(each.value) < 1e6 for each in values):
        whole = [int(each.value) for each in values if isinstance(each, Number)]
        return period(Grain.DAY, year=whole[0], month=whole[1], day=whole[2])
    return _first_of(year, month) if isinstance(year, Now) and year.number and day == Number(1) else None


_YEAR_AND_DAY = 2


def _first_of(year: Now, month: Constant | None) -> Now | None:
    """The first day of a year relative to now, or of this month."""
    if month == Number(1):
        return Now(Grain.YEAR, year.offset, whole=True)
    this_month = isinstance(month, Now) and month.unit is Grain.MONTH and not month.offset and not year.offset
    return Now(Grain.MONTH, 0, whole=True) if this_month else None


_CALLS = frozenset({"date", "datetime", "strftime", "timestamp", "julianday"})
_COUNT = lazy(r"(?P<count>[+-]?\d{1,6})\s*(?P<unit>[A-Za-z]*)", re.ASCII)
"""`-1 month`."""
_SQLITE_STARTS = MappingProxyType(
    {"start of day": Grain.DAY, "start of month": Grain.MONTH, "start of year": Grain.YEAR}
)
_NO_CHANGE = frozenset({"localtime", "utc", "subsec", "auto"})


def sqlite_date(name: str, arguments: Sequence[Node]) -> Constant | None:
    """The date that a call gives of a text or of now, changed by each text after it."""
    if name == "strftime":
        arguments = arguments[1:]
    if name not in _CALLS or not arguments or not all(type(each) is exp.Literal for each in arguments):
        return None
    first = arguments[0].name.strip()
    value: Constant | None = Now(Grain.DAY) if first.lower() == "now" else moment(first)
    for modifier in arguments[1:8]:
        value = _modified(value, modifier.name.strip().lower())
    return value


def _modified(value: Constant | None, modifier: str) -> Constant | None:
    if modifier in _NO_CHANGE:
        return value
    if modifier in _SQLITE_STARTS:
        return cut(value, _SQLITE_STARTS[modifier])
    found = _COUNT.fullmatch(modifier)
    return moved(value, UNITS.get(found["unit"]), int(found["count"])) if found else None
