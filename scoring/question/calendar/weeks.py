"""Reads the week that a day names: `week of 9 March`, `w/c 9 march`, `week ending 15 March`."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from scoring.question.calendar.moments import Time, calendar_range
from scoring.question.reading import Reading
from scoring.values import DatePart, Grain, TimeRange, shift

OF_WEEK = frozenset({"of", "starting", "beginning", "commencing", "from", "ending"})


def week_of(reading: Reading, time: Time) -> Time:
    """The week that a day names: `week of March 9 2026`, on whichever day weeks begin, `week ending 15 March`."""
    at, day = time.start - 1, _first_moment(time)
    while reading.lower(at) in {"on", "the"}:
        at -= 1
    how, named = reading.lower(at), reading.language.grains.get(reading.lower(at - 1)) is Grain.WEEK
    if day is None or not (how == "w/c" or (named and how in OF_WEEK)):
        return time
    first = shift(day, Grain.DAY, -6 if how == "ending" else 0)
    starts = [shift(first, Grain.DAY, -back) for back in (range(7) if how == "of" else (0,))]
    weeks = [TimeRange(each, shift(each, Grain.WEEK, 1)) for each in starts]
    moments = weeks if isinstance(time.moment, TimeRange) else [_of_any_year(each) for each in starts]
    return replace(time, moment=moments[0], start=at - (how != "w/c"), explicit=True, others=tuple(moments[1:]))


def _first_moment(time: Time) -> datetime | None:
    """When a single day begins; one without a year is put in a year without a leap day."""
    day = time.moment
    if isinstance(day, DatePart) and day.part == "date" and day.last is None:
        month, of_month = divmod(day.value, 100)
        whole = calendar_range(_PLAIN_YEAR, month, of_month)
        return whole.start if whole is not None else None
    if not isinstance(day, TimeRange) or day.start is None or day.end != shift(day.start, Grain.DAY, 1):
        return None
    return day.start


_PLAIN_YEAR = 2023


def _of_any_year(first: datetime) -> DatePart:
    """The seven days from one on, in any year."""
    last = shift(first, Grain.DAY, 6)
    return DatePart("date", first.month * 100 + first.day, last.month * 100 + last.day)
