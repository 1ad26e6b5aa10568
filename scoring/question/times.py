"""Dates, periods and relative times as people say them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import TypeAlias

from scoring.immutable import immutable
from scoring.question.language import Role
from scoring.question.reading import Reading
from scoring.specification import Kind
from scoring.values import DatePart, Grain, RelativeTime, TimeRange, period, shift

Moment: TypeAlias = TimeRange | RelativeTime | DatePart

_YEAR = re.compile(r"(1[5-9]\d\d|20\d\d)")
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?")
_NUMERIC = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_DECADE = re.compile(r"(\d{3}0)s")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")
_QUARTER = re.compile(r"q([1-4])")
_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_SEASON = re.compile(r"(\d{4})[-/](\d{2}|\d{4})")


@immutable(kw_only=False)
class Time:
    """A time at tokens [start, end); `explicit` when its form alone says that it is one."""

    moment: Moment
    start: int
    end: int
    explicit: bool = True
    others: tuple[TimeRange, ...] = ()
    """Other forms it may be stored in: the very second, where a clock time follows a date."""


def read_times(reading: Reading) -> list[Time]:
    """Every time said, in order; its tokens are taken. A bare year counts only where its neighbours make it one."""
    found: list[Time] = []
    marks = reading.of(Role.TIME)
    places = sorted({*reading.figures, *(mark.start for mark in marks)}) if marks else reading.figures
    for place in places:
        time = _time_at(reading, place) if not reading.taken[place] else None
        if time is not None:
            found.append(_clocked(reading, time))
            reading.take(time.start, time.end)
    return found


def _time_at(reading: Reading, place: int) -> Time | None:
    token, language = reading.tokens[place], reading.language
    if token.kind is Kind.NUMBER:
        return _figures(reading, place)
    word = token.lower
    if token.kind is not Kind.WORD:
        return None
    if word in language.months and (token.text[0].isupper() or word not in reading.language.auxiliaries):
        return _month(reading, place)
    if word in language.weekdays:
        return Time(DatePart("weekday", language.weekdays[word]), place, place + 1)
    if word in language.past or word in language.future:
        return _window(reading, place) or _cue(reading, place)
    if word in language.ordinals:
        return _ordinal(reading, place, language.ordinals[word])
    if _QUARTER.fullmatch(word):
        return _quarter(reading, int(word[1]), place, place + 1)
    return _cue(reading, place)


def _clocked(reading: Reading, time: Time) -> Time:
    """A date with the clock time after it: `2012/8/23 21:20:00`, `7/19/2010 7:39 PM`."""
    moment, at = time.moment, time.end
    match = _CLOCK.fullmatch(reading.lower(at + (reading.lower(at) == "at")))
    if match is None or not isinstance(moment, TimeRange) or moment.start is None:
        return time
    hour, minute, second = int(match[1]), int(match[2]), int(match[3] or 0)
    hour = hour % 12 + 12 * (reading.lower(at + 1) == "pm") if reading.lower(at + 1) in {"am", "pm"} else hour
    if hour > 23 or minute > 59 or second > 59:
        return time
    start = moment.start.replace(hour=hour, minute=minute, second=second)
    grain = Grain.SECOND if match[3] else Grain.MINUTE
    return replace(time, others=(TimeRange(start, shift(start, grain, 1)),))


def _cue(reading: Reading, place: int) -> Time | None:
    mark = reading.starts.get(place)
    if mark is None or mark.cue.role is not Role.TIME or mark.cue.time is None:
        return None
    return Time(mark.cue.time, mark.start, mark.end)


def _figures(reading: Reading, place: int) -> Time | None:
    text = reading.tokens[place].lower
    if text.isdecimal():
        return _first(reading, place)
    if match := _DECADE.fullmatch(text):
        year = int(match[1])
        return _spanning(year, year + 10, place, place + 1)
    if match := _ISO.fullmatch(text):
        dated = _dated(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
        return (
            Time(dated, place, place + 1)
            if dated
            else _season(reading, text, place)
            if _SEASON.fullmatch(text)
            else None
        )
    if match := _NUMERIC.fullmatch(text):
        return _numeric(int(match[1]), int(match[2]), int(match[3]), place)
    if _SEASON.fullmatch(text):
        return _season(reading, text, place)
    return _first(reading, place)


def _first(reading: Reading, place: int) -> Time | None:
    """The first time that a number is by its neighbours."""
    for reader in (_day_first, _day_after, _century, _year, _rank):
        time = reader(reading, place)
        if time is not None:
            return time
    return None


def _dated(year: int, month: int, day: int | None) -> TimeRange | None:
    if not (0 < year <= 9999 and 1 <= month <= 12):
        return None
    return (
        period(Grain.MONTH, year=year, month=month)
        if day is None
        else period(Grain.DAY, year=year, month=month, day=day)
    )


def _spanning(first: int, after: int, start: int, end: int) -> Time | None:
    if not (1 <= first < after <= 9999):
        return None
    return Time(TimeRange(datetime(first, 1, 1), datetime(after, 1, 1)), start, end)


def _numeric(first: int, second: int, year: int, place: int) -> Time | None:
    """Month first, as in the United States, unless only day first makes a date."""
    dated = _dated(year, first, second) or _dated(year, second, first)
    return Time(dated, place, place + 1) if dated else None


def _season(reading: Reading, text: str, place: int) -> Time | None:
    """`2019/2020`: both years, and doubtful."""
    first, last = (int(part) for part in re.split(r"[-/]", text))
    last = last if last > 99 else first - first % 100 + last
    if not 0 < last - first <= 150 or not 1500 <= first < 2100:
        return None
    spanning = _spanning(first, last + 1, place, place + 1)
    ranged = reading.lower(place - 1) in reading.language.ranges
    return Time(spanning.moment, place, place + 1, explicit=ranged) if spanning else None


def _year(reading: Reading, place: int) -> Time | None:
    """A four-digit number is a year after `in`, `since`, `before`, `year`, a month or a range of years."""
    match = _YEAR.fullmatch(reading.tokens[place].lower)
    after, language = reading.lower(place + 1), reading.language
    if match is None or (after in language.units and after not in language.grains):
        return None
    if not _after_time_word(reading, place):
        return None
    year = int(match[1])
    return _spanning(year, year + 1, place, place + 1)


def _after_time_word(reading: Reading, place: int) -> bool:
    language = reading.language
    at = place - 1
    while at > place - 4 and (reading.lower(at) in language.articles or reading.lower(at) in language.either):
        at -= 1
    before = reading.lower(at)
    if before in language.in_time or before in language.year_words or before in language.time_verbs:
        return True
    if before in language.by or reading.lower(place + 1) in language.year_words or before in language.ranges:
        return True
    if at < place - 1 and reading.is_word(place + 1) and reading.tokens[place + 1].text[0].isupper():
        return True
    if before in language.copulas and reading.tokens[at - 1].stem in language.year_words:
        return True
    if (
        before in language.conjunctions
        or before in _RANGE_JOINTS
        or any(before in joins for joins in language.ranges.values())
    ):
        return place >= 2 and _YEAR.fullmatch(reading.lower(place - 2)) is not None
    mark = reading.ends.get(place)
    return mark is not None and mark.cue.role is Role.COMPARE and reading.lowers[mark.start] in _TIME_COMPARISONS


_RANGE_JOINTS = frozenset({",", "to", "-", "–"})
_TIME_COMPARISONS = frozenset(
    "after before since until till prior later earlier by no following starting beginning up in on at".split()
)


def _month(reading: Reading, place: int) -> Time | None:
    """`May`, `May 2023`, `May 3`, `May 3rd, 2023`."""
    month = reading.language.months[reading.tokens[place].lower]
    end = place + 1
    if reading.lower(end) in {".", ","} and _YEAR.fullmatch(reading.lower(end + 1)):
        end += 1
    if reading.lower(end) in reading.language.of and _YEAR.fullmatch(reading.lower(end + 1)):
        end += 1
    if _YEAR.fullmatch(reading.lower(end)):
        dated = period(Grain.MONTH, year=int(reading.lower(end)), month=month)
        return Time(dated, place, end + 1) if dated else None
    day = _DAY.fullmatch(reading.lower(place + 1))
    if day and 1 <= int(day[1]) <= 31:
        later = _day_of(reading, place + 3) if reading.lower(place + 2) in _DAY_JOINTS else None
        last = _with_year(reading, month, later, place + 3, place + 4) if later else None
        earlier = _earlier(last, int(day[1]), place, place + 2)
        return earlier or _with_year(reading, month, int(day[1]), place, place + 2)
    return _bare_month(reading, place, month)


def _bare_month(reading: Reading, place: int, month: int) -> Time | None:
    before = reading.lower(place - 1)
    known = len(reading.tokens[place].lower) > 4 or before in reading.language.in_time
    return (
        Time(DatePart("month", month), place, place + 1) if known and reading.tokens[place].text[0].isupper() else None
    )


def _with_year(reading: Reading, month: int, day: int, start: int, end: int) -> Time | None:
    at = end
    while at < end + 2 and (reading.lower(at) in _JOINTS or reading.lower(at) in reading.language.of):
        at += 1
    if _YEAR.fullmatch(reading.lower(at)):
        dated = _dated(int(reading.lower(at)), month, day)
        return Time(dated, start, at + 1) if dated else None
    return Time(DatePart("month", month), start, end, explicit=False)


def _day_first(reading: Reading, place: int) -> Time | None:
    """`3 May 2021`, `the 3rd of May, 2021`, and the `3` of `3 and 9 May 2021`."""
    day = _day_of(reading, place)
    if day is None:
        return None
    at = place + 1
    if reading.lower(at) in _DAY_JOINTS and (later := _day_of(reading, at + 1)):
        return _earlier(_before_month(reading, at + 1, later), day, place, at)
    return _before_month(reading, place, day)


_DAY_JOINTS = frozenset({"and", "to", "or", "through", "-", "–", "&"})


def _day_of(reading: Reading, place: int) -> int | None:
    match = _DAY.fullmatch(reading.lower(place))
    return int(match[1]) if match is not None and 1 <= int(match[1]) <= 31 else None


def _before_month(reading: Reading, place: int, day: int) -> Time | None:
    """A day with its month right after it."""
    at = place + 1
    if reading.lower(at) in reading.language.of:
        at += 1
    if reading.lower(at) not in reading.language.months or not reading.tokens[at].text[0].isupper():
        return None
    return _with_year(reading, reading.language.months[reading.lower(at)], day, place, at + 1)


def _earlier(later: Time | None, day: int, start: int, end: int) -> Time | None:
    """A day of the month and year of a later day."""
    if later is None or not isinstance(later.moment, TimeRange) or later.moment.start is None:
        return None
    dated = _dated(later.moment.start.year, later.moment.start.month, day)
    return Time(dated, start, end) if dated else None


def _day_after(reading: Reading, place: int) -> Time | None:
    """The `9, 2026` of `November 3 to 9, 2026`."""
    day, month = _day_of(reading, place), reading.language.months.get(reading.lower(place - 3))
    if day is None or month is None or reading.lower(place - 1) not in _DAY_JOINTS:
        return None
    time = _with_year(reading, month, day, place, place + 1)
    return time if time is not None and time.explicit else None


def _century(reading: Reading, place: int) -> Time | None:
    match = _DAY.fullmatch(reading.tokens[place].lower)
    if match is None or reading.lower(place + 1) not in reading.language.centuries:
        return None
    last = int(match[1]) * 100
    return _spanning(last - 99, last + 1, place, place + 2) if last else None


def _rank(reading: Reading, place: int) -> Time | None:
    match = _DAY.fullmatch(reading.tokens[place].lower)
    return _ordinal(reading, place, int(match[1])) if match and not reading.tokens[place].lower.isdigit() else None


def _ordinal(reading: Reading, place: int, rank: int) -> Time | None:
    """`the third quarter of 2022`, `the first half of 2021`."""
    unit = reading.lower(place + 1)
    if reading.language.grains.get(unit) is Grain.QUARTER and 1 <= rank <= 4:
        return _quarter(reading, rank, place, place + 2)
    if unit in reading.language.halves and rank in (1, 2):
        year, end = _year_after(reading, place + 2)
        if year:
            first = period(Grain.QUARTER, year=year, month=rank * 6 - 5)
            second = period(Grain.QUARTER, year=year, month=rank * 6 - 2)
            return Time(TimeRange(first.start, second.end), place, end) if first and second else None
    return None


def _quarter(reading: Reading, rank: int, start: int, end: int) -> Time | None:
    year, after = _year_after(reading, end)
    if not year:
        before, language = reading.lower(start - 1), reading.language
        led = before in language.in_time or before in language.articles
        return Time(DatePart("quarter", rank), start, end, explicit=led)
    dated = period(Grain.QUARTER, year=year, month=rank * 3 - 2)
    return Time(dated, start, after) if dated else None


def _year_after(reading: Reading, place: int) -> tuple[int | None, int]:
    language = reading.language
    skipped = (language.of, language.articles, language.year_words, _JOINTS)
    at = place
    while at < place + 3 and any(reading.lower(at) in table for table in skipped):
        at += 1
    return (int(reading.lower(at)), at + 1) if _YEAR.fullmatch(reading.lower(at)) else (None, place)


_JOINTS = frozenset({",", "in"})


def _window(reading: Reading, place: int) -> Time | None:
    """`last 30 days`, `past three months`, `next 2 weeks`."""
    language = reading.language
    number = reading.lower(place + 1)
    count = language.numbers.get(number) or (int(number) if number.isdecimal() and len(number) < 5 else None)
    unit = reading.lower(place + 2) if count else number
    grain = language.grains.get(unit)
    if grain is None or (count is None and reading.has_role(place, Role.TIME)):
        return None
    if count is None and place and reading.lowers[place] not in language.past:
        return None
    size, end = (count, place + 3) if count else (1, place + 2)
    ahead = reading.lowers[place] in language.future
    return Time(RelativeTime(grain, 0 if ahead else -size, size if ahead else 0), place, end)
