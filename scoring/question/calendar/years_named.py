"""Joins parts of a year with the year that is named for them: `June last year`, `Jan and Feb of this year`."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from scoring.patterns import lazy
from scoring.question.calendar.moments import PARTS_OF_YEAR, UNIT_EARLIER, YEAR_EARLIER, Moment, Time
from scoring.question.reading import Reading
from scoring.values import DatePart, Grain, RelativeTime, TimeRange, floor, period, shift

_SO_FAR = RelativeTime(Grain.YEAR, 0, None, whole=True)
_LAST_YEAR = RelativeTime(Grain.YEAR, -1, 0, whole=True)
_JOINTS = frozenset({"and", "&", "+", "/", "-", "–"})


def of_year(reading: Reading, part: Time, year: Time) -> Time | None:
    """`October last year` as one time."""
    moment, whole = part.moment, year.moment
    if moment == _SO_FAR and whole == _LAST_YEAR and part.end == year.start:
        return Time(YEAR_EARLIER, part.start, year.end)  # `ytd last year`
    between = reading.lowers[part.end : year.start]
    if not isinstance(moment, DatePart) or moment.part not in PARTS_OF_YEAR or not set(between) <= {"of", ","}:
        return None
    if not isinstance(whole, RelativeTime) or whole.unit is not Grain.YEAR or not whole.whole or whole.start is None:
        return None
    if moment.year is not None or whole.end != whole.start + 1:
        return None
    return Time(replace(moment, year=whole.start), part.start, year.end)


def two_months(reading: Reading, first: Time, last: Time) -> Time | None:
    """`Jan and Feb this year` as one time: months that follow one another, of which the last names the year."""
    one, other = first.moment, last.moment
    if not isinstance(one, DatePart) or not isinstance(other, DatePart) or one.part != other.part:
        return None
    if one.part not in PARTS_OF_YEAR or one.year is not None or other.year is None or one.last or other.last:
        return None
    between = reading.lowers[first.end : last.start]
    if len(between) != 1 or between[0] not in _JOINTS or other.value != one.value + 1:
        return None
    return Time(DatePart(one.part, one.value, other.value, other.year), first.start, last.end)


_SIDE_BY_SIDE = frozenset({("and",), (",",), ("/",), ("&",), ("+",), (",", "and"), ("/", "and"), ()})
_COMPARED = lazy(
    r"\b(?:compar\w*|vs\.?|versus|differen\w*|chang\w*|grow\w*|grew|increas\w*|decreas\w*|than|between|both|each"
    r"|respectively|side by side|either|only|which|who|whose)\b",
    re.IGNORECASE,
)


def side_by_side(reading: Reading, first: Time, last: Time) -> Time | None:
    """`2024 and 2025`, `Jan/Feb 2026`, `3 and 4 february` as one time.

    Not where the two are compared, nor where things are sought that did something in both.
    """
    if tuple(reading.lowers[first.end : last.start]) not in _SIDE_BY_SIDE:
        return None
    one, other = first.moment, last.moment
    if isinstance(one, DatePart) and isinstance(other, DatePart):
        together = _parts_together(one, other)
    elif isinstance(other, TimeRange):
        together = _ranges_together(one, other)
    else:
        together = None
    if together is None or _COMPARED.search(reading.text) is not None:
        return None
    return Time(together, first.start, last.end, others=(one, other))


def _parts_together(one: DatePart, other: DatePart) -> DatePart | None:
    """A part of the year and the one after it."""
    alike = one.part == other.part and one.part in (*PARTS_OF_YEAR, "date") and one.year == other.year
    follows = other.last is None and other.value == (one.last or one.value) + 1
    return DatePart(one.part, one.value, other.value, one.year) if alike and follows else None


def _ranges_together(one: Moment, other: TimeRange) -> TimeRange | None:
    """A time and the one that begins where it ends; a month takes the year of the one after it."""
    if isinstance(one, DatePart) and one.part == "month" and one.year is None and other.start is not None:
        one = period(Grain.MONTH, year=other.start.year, month=one.last or one.value) or one
    if not isinstance(one, TimeRange) or one.end is None or one.end != other.start:
        return None
    return TimeRange(one.start, other.end)


def months_up_to(reading: Reading, length: Time, last: Time) -> Time | None:
    """`the last 12 months through the end of August` as one time: the months that end there."""
    span, month = length.moment, last.moment
    if not isinstance(span, RelativeTime) or span.unit is not Grain.MONTH or span.start is None or span.end != 0:
        return None
    if not isinstance(month, DatePart) or month.part != "month" or month.last or month.year is not None:
        return None
    between = reading.lowers[length.end : last.start]
    if not between or between[0] not in _UP_TO or not _TO_THE_END.issuperset(between[1:]) or not -12 <= span.start < -1:
        return None
    return Time(DatePart("month", (month.value + span.start) % 12 + 1, month.value), length.start, last.end)


_UP_TO = frozenset({"through", "thru", "until", "till", "to", "up", "ending"})
_TO_THE_END = frozenset({"to", "in", "with", "the", "end", "of"})


def named_twice(found: list[Time]) -> list[Time]:
    """The times, with a bare month taken as one where it is named again with its year: `jan sales vs jan last year`."""
    dated = {_bare(each.moment) for each in found if isinstance(each.moment, DatePart) and each.moment.year is not None}
    if not dated:
        return found
    return [replace(each, explicit=True) if each.moment in dated else each for each in found]


def _bare(part: DatePart) -> DatePart:
    return replace(part, year=None)


def unit_earlier(time: Time, before: Time | None) -> Time | None:
    """`the month before` after `last month` or `in May`; without such a period it is no time."""
    if not isinstance(time.moment, RelativeTime) or time.moment not in UNIT_EARLIER:
        return time
    unit, moment = time.moment.unit, before.moment if before is not None else None
    if isinstance(moment, RelativeTime) and moment.unit is unit and moment.whole and moment.start is not None:
        return replace(time, moment=RelativeTime(unit, moment.start - 1, moment.start, whole=True))
    if isinstance(moment, TimeRange) and moment == _whole(moment, unit):
        return replace(time, moment=_whole(moment, unit, -1))
    return None


def _whole(moment: TimeRange, unit: Grain, by: int = 0) -> TimeRange:
    """The unit that a period begins in, moved by some."""
    start = shift(floor(moment.start or datetime.min, unit), unit, by)
    return TimeRange(start, shift(start, unit, 1))


_EARLIER = frozenset(
    {
        YEAR_EARLIER,
        RelativeTime(Grain.MONTH, -12, -11, whole=True),
        RelativeTime(Grain.QUARTER, -4, -3, whole=True),
    }
)
"""`same period last year`, `same month last year`, `same quarter last year`."""


def year_earlier(time: Time, before: Time | None) -> Time:
    """`same period last year` after a period that is not the year so far: that period of the year before."""
    if time.moment not in _EARLIER or before is None:
        return time
    moment = before.moment
    if isinstance(moment, TimeRange) and moment.start is not None and moment.end is not None:
        return replace(time, moment=TimeRange(*(shift(each, Grain.YEAR, -1) for each in (moment.start, moment.end))))
    if isinstance(moment, DatePart) or (time.moment == YEAR_EARLIER and _is_so_far(moment)):
        return replace(time, explicit=False)
    moved = _moved_a_year(moment) if isinstance(moment, RelativeTime) else None
    return replace(time, moment=moved) if moved is not None else time


def _moved_a_year(moment: RelativeTime) -> RelativeTime | None:
    units = _IN_A_YEAR.get(moment.unit)
    if units is None or moment.start is None:
        return None
    end = moment.start if moment.end is None else moment.end
    return RelativeTime(moment.unit, moment.start - units, end - units, moment.whole)


_IN_A_YEAR = {Grain.MONTH: 12, Grain.QUARTER: 4, Grain.YEAR: 1}


def _is_so_far(moment: object) -> bool:
    """Whether a moment is the running year, which the same period of the year before is held against."""
    return isinstance(moment, RelativeTime) and (moment.unit, moment.start, moment.end) == (Grain.YEAR, 0, 1)
