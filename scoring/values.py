"""The values that filters compare with, in the same form for question and SQL: text, numbers, times, lists."""

from __future__ import annotations

import calendar
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from scoring.immutable import immutable
from scoring.normal_forms import normal_form


class Grain(StrEnum):
    """A unit of calendar time."""

    SECOND = "second"
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


@immutable(kw_only=False)
class Text:
    """A string literal, case- and space-folded so that `' Active'` is `'active'`."""

    folded: str

    def __str__(self) -> str:
        return f"'{self.folded}'"


@immutable(kw_only=False)
class Number:
    """A numeric literal. `unit` is the question's word for it (`%`, `$`, `cm`), never compared."""

    value: float
    unit: str | None = None

    def __str__(self) -> str:
        return f"{self.value:g}" if abs(self.value) < 1e15 else str(self.value)


@immutable(kw_only=False)
class Boolean:
    """TRUE or FALSE."""

    value: bool

    def __str__(self) -> str:
        return "true" if self.value else "false"


@immutable(kw_only=False)
class TimeRange:
    """The half-open interval [start, end) of naive local time; `None` leaves that side open."""

    start: datetime | None
    end: datetime | None

    def __str__(self) -> str:
        return f"[{_stamp(self.start)}, {_stamp(self.end)})"

    def overlaps(self, other: TimeRange) -> bool:
        """Whether a moment is in both.

        >>> TimeRange(None, datetime(2025, 1, 1)).overlaps(TimeRange(datetime(2025, 1, 1), None))
        False
        """
        return not (_ends_by(self, other) or _ends_by(other, self))


def _ends_by(one: TimeRange, other: TimeRange) -> bool:
    return one.end is not None and other.start is not None and one.end <= other.start


@immutable(kw_only=False)
class RelativeTime:
    """A range relative to now, in units: `last 30 days` is (day, -30, 0), `last month` (month, -1, 0, whole).

    `whole` means that both ends are cut to the start of their unit; `None` leaves a side open. Equal ends, whole, are
    a unit up to the point where now is in its own: (year, -1, -1, whole) is last year's part that this year has had.
    """

    unit: Grain
    start: int | None
    end: int | None
    whole: bool = False

    def __str__(self) -> str:
        cut = " whole" if self.whole else ""
        return f"now[{self.start}, {self.end}){cut} {self.unit.value}"

    def resolve(self, anchor: datetime) -> TimeRange:
        """The absolute range when now is `anchor`.

        >>> str(RelativeTime(Grain.MONTH, -1, 0, whole=True).resolve(datetime(2024, 3, 15)))
        '[2024-02-01, 2024-03-01)'
        """
        base = floor(anchor, self.unit) if self.whole else anchor
        until = anchor if self.start == self.end else base
        return TimeRange(
            None if self.start is None else shift(base, self.unit, self.start),
            None if self.end is None else shift(until, self.unit, self.end),
        )


@immutable()
class FiscalYear:
    """The house's own year."""

    starts: int = 1
    """The month of its first day, from 1; January is the calendar year."""
    named_after_end: bool = True
    """Whether it is called by the calendar year that it ends in."""
    words: tuple[str, ...] = ()
    """Words (lower case) that mean it too, beside `fiscal`, `financial` and `FY`: `ytd`, `this year`, `quarter`."""


@immutable(kw_only=False)
class DatePart:
    """One recurring part of a date compared with a number: every January is (month, 1)."""

    part: str
    """`month` (0 is the current one, -1 the one before), `day`, `weekday` (0 is Sunday), `hour`, `quarter`, `week`,
    `date` (1103 is 3 November)."""
    value: int
    last: int | None = None
    """The last of several: `June to August` is (month, 6, 8). A run to or from the year's end may be open there."""
    year: int | None = None
    """Years from the current one, where the question says: -1 for `October last year`."""

    def __str__(self) -> str:
        return f"{self.part} {self.value}" if self.last is None else f"{self.part} {self.value} to {self.last}"


@immutable(kw_only=False)
class Pattern:
    """A LIKE or regular-expression pattern that is neither equality, contains, prefix nor suffix."""

    text: str

    def __str__(self) -> str:
        return f"like '{self.text}'"


@immutable(kw_only=False)
class Expression:
    """A right side that is not a literal: a column, arithmetic, a parameter or a subquery, in canonical SQL."""

    text: str
    columns: tuple[str, ...] = ()
    """Names of the columns it reads."""
    subquery: str | None = None
    """The query block, if it is a subquery."""
    functions: tuple[str, ...] = ()
    """Upper-case names of the aggregate functions in it."""
    unknown: bool = False
    """It is a bound parameter, or an expression of one and of constants: its value is not in the text."""

    def __str__(self) -> str:
        return self.text


Scalar: TypeAlias = Text | Number | Boolean | TimeRange | RelativeTime | DatePart | Pattern | Expression


@immutable(kw_only=False)
class Choices:
    """The members of an IN list; order means nothing."""

    members: frozenset[Scalar]

    def __str__(self) -> str:
        return "(" + ", ".join(sorted(map(str, self.members))) + ")"


Value: TypeAlias = Scalar | Choices


def is_unknown(value: object) -> bool:
    """Whether a value, or a member of a list, is a bound parameter whose value is not given."""
    if isinstance(value, Choices):
        return any(isinstance(each, Expression) and each.unknown for each in value.members)
    return isinstance(value, Expression) and value.unknown


def text(raw: str) -> Text:
    """The folded form of a string literal: one case, single spaces, composed letters.

    >>> text("  New   York ")
    Text(folded='new york')
    """
    return Text(" ".join(normal_form("NFC", raw).split()).casefold())


def floor(moment: datetime, unit: Grain) -> datetime:
    """The start of the unit that holds `moment`; weeks start on Monday."""
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    match unit:
        case Grain.YEAR:
            return day.replace(month=1, day=1)
        case Grain.QUARTER:
            return day.replace(month=moment.month - (moment.month - 1) % 3, day=1)
        case Grain.MONTH:
            return day.replace(day=1)
        case Grain.WEEK:
            return day - timedelta(days=moment.weekday())
        case Grain.DAY:
            return day
        case Grain.HOUR:
            return moment.replace(minute=0, second=0, microsecond=0)
        case Grain.MINUTE:
            return moment.replace(second=0, microsecond=0)
        case Grain.SECOND:
            return moment.replace(microsecond=0)


MONTHS = {Grain.MONTH: 1, Grain.QUARTER: 3, Grain.YEAR: 12}
"""The units that are counted in months."""
LENGTHS = {
    Grain.SECOND: timedelta(seconds=1),
    Grain.MINUTE: timedelta(minutes=1),
    Grain.HOUR: timedelta(hours=1),
    Grain.DAY: timedelta(days=1),
    Grain.WEEK: timedelta(weeks=1),
}
"""The units of a fixed length."""


_DAYS = {Grain.MONTH: (30, 31), Grain.QUARTER: (90, 91, 92), Grain.YEAR: (365, 366, 365.25)}
"""Lengths in days that are taken for units without a fixed length."""


def other_units(count: float, unit: Grain) -> tuple[Number, ...]:
    """The same length of time in other units: two years are 24 months and about 730 days.

    >>> [each.value for each in other_units(2, Grain.HOUR)][:2], [each.value for each in other_units(2, Grain.YEAR)][:3]
    ([7200.0, 120.0], [24.0, 8.0, 730.0])
    """
    if unit in LENGTHS:
        return tuple([Number(count * (LENGTHS[unit] / other)) for other in LENGTHS.values() if other != LENGTHS[unit]])
    months = [Number(count * MONTHS[unit] / size) for size in MONTHS.values() if size != MONTHS[unit]]
    return (*months, *(Number(float(count * days)) for days in _DAYS[unit]))


def shift(moment: datetime, unit: Grain, count: int) -> datetime:
    """`moment` moved by `count` units; a day past the month's end becomes its last day.

    Beyond the calendar (year 1 to 9999) the nearest representable moment is returned.

    >>> shift(datetime(2024, 3, 31), Grain.MONTH, -1)
    datetime.datetime(2024, 2, 29, 0, 0)
    """
    try:
        if unit not in MONTHS:
            return moment + LENGTHS[unit] * count
        months = moment.year * 12 + moment.month - 1 + MONTHS[unit] * count
        year, month = divmod(months, 12)
        day = min(moment.day, calendar.monthrange(year, month + 1)[1])
        return moment.replace(year=year, month=month + 1, day=day)
    except (OverflowError, ValueError, calendar.IllegalMonthError):
        return datetime.min if count < 0 else datetime.max


def period(unit: Grain, *, year: int, month: int = 1, day: int = 1, hour: int = 0) -> TimeRange | None:
    """The calendar unit that starts at a date; `None` if the date does not exist.

    >>> str(period(Grain.QUARTER, year=2023, month=4))
    '[2023-04-01, 2023-07-01)'
    """
    try:
        start = datetime(year, month, day, hour)
    except ValueError:
        return None
    return TimeRange(start, shift(start, unit, 1))


def intersect(left: TimeRange, right: TimeRange) -> TimeRange:
    """The range that lies in both ranges."""
    starts = [bound for bound in (left.start, right.start) if bound is not None]
    ends = [bound for bound in (left.end, right.end) if bound is not None]
    return TimeRange(max(starts, default=None), min(ends, default=None))


def _stamp(moment: datetime | None) -> str:
    if moment is None:
        return ""
    midnight = (moment.hour, moment.minute, moment.second, moment.microsecond) == (0, 0, 0, 0)
    return moment.date().isoformat() if midnight else moment.isoformat(sep=" ")


_UNITS = frozenset(
    {1, 4, 5, 7, 8, 10, 12, 24, 30, 52, 60, 100, 168, 365, 365.25, 1000, 1024, 1440, 3600, 10080, 86400, 604800}
    | {30.4, 30.42, 30.4375, 30.44, 1e4, 1e5, 1e6, 1e9, 6e4, 3.6e6, 8.64e7}
    | {3.6, 28, 29, 31, 90, 91, 92}
)
"""Factors of percentages and of units of time, weight and data."""
_CONVERSIONS = (
    0.45359237,
    1.609344,
    3.785411784,
    0.3048,
    2.54,
    10.76391,
    28.349523,
    4.54609,
    1.852,
    0.9144,
    33.8140227,
)
"""Pounds, miles, US gallons, feet, inches, square feet, ounces, gallons, knots, yards, fluid ounces."""


def is_unit(factor: float) -> bool:
    """Whether a factor, or its inverse, only turns one unit into another; conversions may be rounded.

    >>> is_unit(0.4536), is_unit(10.76), is_unit(1.21)
    (True, True, False)
    """
    if factor <= 0:
        return False
    if factor in _UNITS or round(1 / factor, 6) in _UNITS:
        return True
    return any(abs(each - one) < 0.001 * one for one in _CONVERSIONS for each in (factor, 1 / factor))
