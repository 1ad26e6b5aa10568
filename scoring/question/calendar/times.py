"""Reads the times of a question: dates, periods and times relative to now."""

from __future__ import annotations

import re
from dataclasses import replace

from scoring.patterns import lazy
from scoring.question.calendar.days import (
    is_no_other_word,
    joined_months,
    opens_months,
    read_day_after_month,
    read_day_before_month,
    read_joined_days,
    read_month,
    read_ranked_day,
)
from scoring.question.calendar.moments import DAY, JOINTS, YEAR, Time, calendar_range, year_span
from scoring.question.calendar.rough import claim_rough_times
from scoring.question.calendar.states import is_of_state
from scoring.question.calendar.weeks import week_of
from scoring.question.calendar.years import (
    fiscal_quarter,
    is_fiscal,
    read_century,
    read_fiscal_year,
    read_season,
    read_year,
)
from scoring.question.calendar.years_named import (
    months_up_to,
    named_twice,
    of_year,
    side_by_side,
    two_months,
    unit_earlier,
    year_earlier,
)
from scoring.question.language import Role
from scoring.question.quantities import SHORT_UNITS
from scoring.question.reading import Reading
from scoring.specification import TokenKind
from scoring.values import DatePart, Grain, RelativeTime, TimeRange, period, shift

_ISO = lazy(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?")
_NUMERIC = lazy(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})")
_MONTH_AND_YEAR = lazy(r"(\d{1,2})[/.](20\d\d)")
_SHORT_MONTH = lazy(r"([a-z]{3,9})[-'’](\d\d)")
_SHORT_QUARTER = lazy(r"q([1-4])[-'’](\d\d)")
_LAST_UNITS = lazy(r"l(\d{1,3})([dwmy])")
_DECADE = lazy(r"(\d{3}0)s")
_QUARTER = lazy(r"q([1-4])")
_HALF = lazy(r"h([12])")
_CLOCK = lazy(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_SEASON = lazy(r"(\d{4})[-/](\d{2}|\d{4})")


def read_times(reading: Reading) -> list[Time]:
    """Every time in order; claims its tokens. A bare number is a year only if the words around it say so."""
    claim_rough_times(reading)
    found: list[Time] = []
    marks = reading.marks_of(Role.TIME)
    places = sorted({*reading.number_places, *(mark.start for mark in marks)}) if marks else reading.number_places
    for place in places:
        time = _time_at(reading, place) if not reading.claimed[place] else None
        time = unit_earlier(time, found[-1] if found else None) if time is not None else None
        if time is not None:
            time = week_of(reading, year_earlier(time, found[-1] if found else None))
            found.append(_clocked(reading, time))
            reading.claim(time.start, time.end)
            for joined in (of_year, two_months, months_up_to, side_by_side):
                if len(found) > 1 and (one := joined(reading, *found[-2:])) is not None:
                    found[-2:] = [one]
    return named_twice(found)


def _time_at(reading: Reading, place: int) -> Time | None:
    token, language = reading.tokens[place], reading.language
    if token.kind is TokenKind.NUMBER:
        return _figures(reading, place)
    word = token.lower
    if token.kind is not TokenKind.WORD:
        return None
    if word in language.months:
        written = token.text[0].isupper() or is_no_other_word(reading, place)
        return read_month(reading, place) if written or opens_months(reading, place) else None
    if word in language.weekdays:
        return Time(DatePart("weekday", language.weekdays[word]), place, place + 1)
    if word in language.past or word in language.future:
        return _window(reading, place) or _cue(reading, place)
    if word in language.ordinals:
        return _ordinal(reading, place, language.ordinals[word])
    return _part_of_year(reading, place, word) or _cue(reading, place)


def _part_of_year(reading: Reading, place: int, word: str) -> Time | None:
    """`Q3`, `H1`."""
    if _QUARTER.fullmatch(word):
        return _quarter(reading, int(word[1]), place, place + 1)
    if _HALF.fullmatch(word) and (reading.tokens[place].text[0].isupper() or _has_year_or_lead(reading, place)):
        return _half(reading, int(word[1]), place, place + 1)
    return joined_months(reading, place) or _short_form(reading, place, word) or read_fiscal_year(reading, place)


def _short_form(reading: Reading, place: int, word: str) -> Time | None:
    """`nov-25`, `11/2025`, `Q4'25`, `L30D`."""
    if match := _MONTH_AND_YEAR.fullmatch(word):
        dated = calendar_range(int(match[2]), int(match[1]), None)
        return Time(dated, place, place + 1) if dated else None
    if (match := _SHORT_MONTH.fullmatch(word)) and match[1] in reading.language.months:
        dated = calendar_range(_CENTURY + int(match[2]), reading.language.months[match[1]], None)
        return Time(dated, place, place + 1) if dated else None
    if match := _SHORT_QUARTER.fullmatch(word):
        quarter = period(Grain.QUARTER, year=_CENTURY + int(match[2]), month=int(match[1]) * 3 - 2)
        return Time(quarter, place, place + 1) if quarter else None
    if match := _LAST_UNITS.fullmatch(word):
        unit = Grain.MONTH if match[2] == "m" else SHORT_UNITS[match[2]]
        return Time(RelativeTime(unit, -int(match[1]), 0), place, place + 1)
    return None


_CENTURY = 2000


def _has_year_or_lead(reading: Reading, place: int) -> bool:
    """Whether the words around `h1` make it a half of a year."""
    before, after = reading.lower(place - 1), reading.lower(place + 1)
    if before in reading.language.in_time or before in ("vs", "vs.", "versus", "compare"):
        return True
    return after in _ENDS or YEAR.fullmatch(after) is not None or reading.lower(place + 2) == "year"


_ENDS = frozenset({"", ",", ";", ".", "?", ")", "only", "so"})


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
    moment = mark.cue.time
    if (
        (moment == _TODAY and is_of_state(reading, mark))
        or is_fiscal(reading, place)
        or _is_vague(reading, place, moment)
    ):
        return Time(moment, mark.start, mark.end, explicit=False)
    rolling = (moment.start, moment.end) == (-1, 0) and moment.unit is not Grain.DAY
    if rolling and reading.lower(place - 1) in reading.language.articles:
        rolls = _FULL.isdisjoint(reading.lowers[mark.start : mark.end])
        return Time(moment, mark.start, mark.end, others=(RelativeTime(moment.unit, -1, 0),) if rolls else ())
    return Time(moment, mark.start, mark.end)


def _is_vague(reading: Reading, place: int, moment: RelativeTime) -> bool:
    """Whether a year is that of the day before it (`31 dec last year`), or goes up to the same day only."""
    if moment.unit is Grain.YEAR and reading.lower(place - 1) in reading.language.months:
        return True
    return (moment.start, moment.end, moment.whole) == (-1, 0, True) and _SO_FAR.search(reading.text) is not None


_SO_FAR = lazy(r"\b(?:so far|same (?:period|point|time|stage)|to date|ytd|mtd|qtd)\b", re.IGNORECASE)
_TODAY = RelativeTime(Grain.DAY, 0, 1, whole=True)


def _figures(reading: Reading, place: int) -> Time | None:
    text = reading.tokens[place].lower
    if text.isdecimal():
        return _first(reading, place)
    if match := _DECADE.fullmatch(text):
        year = int(match[1])
        return year_span(year, year + 10, place, place + 1)
    if match := _ISO.fullmatch(text):
        dated = calendar_range(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
        if dated is not None or not _SEASON.fullmatch(text):
            return Time(dated, place, place + 1) if dated else None
        return read_season(reading, text, place)
    if match := _NUMERIC.fullmatch(text):
        return _numeric(int(match[1]), int(match[2]), int(match[3]), place)
    if _SEASON.fullmatch(text):
        return read_season(reading, text, place)
    return _first(reading, place)


def _first(reading: Reading, place: int) -> Time | None:
    """The first reading of a number as a time that its neighbours allow."""
    days = (read_joined_days, read_day_before_month, read_day_after_month)
    for reader in (*days, read_century, read_year, read_fiscal_year, _rank):
        time = reader(reading, place)
        if time is not None:
            return time
    return None


def _numeric(first: int, second: int, year: int, place: int) -> Time | None:
    """Month first, as in the United States, unless only day first makes a date."""
    dated = calendar_range(year, first, second) or calendar_range(year, second, first)
    return Time(dated, place, place + 1) if dated else None


def _rank(reading: Reading, place: int) -> Time | None:
    match = DAY.fullmatch(reading.tokens[place].lower)
    return _ordinal(reading, place, int(match[1])) if match and not reading.tokens[place].lower.isdigit() else None


def _ordinal(reading: Reading, place: int, rank: int) -> Time | None:
    """`the third quarter of 2022`, `the first half of 2021`."""
    unit = reading.lower(place + 1)
    if reading.language.grains.get(unit) is Grain.QUARTER and 1 <= rank <= 4:
        return _quarter(reading, rank, place, place + 2)
    part = _part_of_month(reading, rank, place)
    if part is not None:
        return part
    if unit in reading.language.halves and rank in (1, 2):
        return _half(reading, rank, place, place + 2)
    return read_ranked_day(reading, rank, place)


def _part_of_month(reading: Reading, rank: int, place: int) -> Time | None:
    """`the first half of May`, `the second week of May`: about these days, as weeks may begin on other ones."""
    unit, month = reading.lower(place + 1), reading.language.months.get(reading.lower(place + 3))
    if month is None or reading.lower(place + 2) != "of":
        return None
    days = {}
    if unit in reading.language.halves:
        days = {1: (1, 15), 2: (16, 31)}
    elif reading.language.grains.get(unit) is Grain.WEEK:
        days = {1: (1, 7), 2: (8, 14), 3: (15, 21)}
    if rank not in days:
        return None
    first, last = days[rank]
    return Time(DatePart("date", month * 100 + first, month * 100 + last), place, place + 4, explicit=False)


def _half(reading: Reading, rank: int, start: int, end: int) -> Time | None:
    """`the first half of 2021`, `H1 2021`; `the first half of the year` and `in H1` are without a year."""
    year, after = _year_after(reading, end)
    if year:
        first = period(Grain.QUARTER, year=year, month=rank * 6 - 5)
        second = period(Grain.QUARTER, year=year, month=rank * 6 - 2)
        return Time(TimeRange(first.start, second.end), start, after) if first and second else None
    language, named = reading.language, end == start + 1
    months = DatePart("month", rank * 6 - 5, rank * 6)
    if named:
        led = reading.lower(start - 1) in language.in_time or reading.lower(start - 1) in language.articles
        return Time(months, start, end, explicit=led)
    yearly = reading.lower(end) in language.of and reading.lower(end + 2) in _THIS_YEAR
    return Time(months, start, end + 3) if yearly and reading.lower(end + 1) in _THE else None


_THE = frozenset({"the", "this", "current"})
_THIS_YEAR = frozenset({"year"})


def _quarter(reading: Reading, rank: int, start: int, end: int) -> Time | None:
    year, after = _year_after(reading, end)
    if not year:
        fiscal = fiscal_quarter(reading, rank, start, end)
        if fiscal is not None:
            return fiscal
        before, language = reading.lower(start - 1), reading.language
        led = before in language.in_time or before in language.articles
        return Time(DatePart("quarter", rank), start, end, explicit=led)
    dated = period(Grain.QUARTER, year=year, month=rank * 3 - 2)
    return Time(dated, start, after, explicit=not is_fiscal(reading, start)) if dated else None


def _year_after(reading: Reading, place: int) -> tuple[int | None, int]:
    language = reading.language
    skipped = (language.of, language.articles, language.year_words, JOINTS)
    at = place
    while at < place + 3 and any(reading.lower(at) in table for table in skipped):
        at += 1
    return (int(reading.lower(at)), at + 1) if YEAR.fullmatch(reading.lower(at)) else (None, place)


def _window(reading: Reading, place: int) -> Time | None:
    """`last 30 days`, `past three months`, `next 2 weeks`."""
    glued = _GLUED.fullmatch(reading.lower(place + 1))
    if glued is not None:
        return _beside_now(reading, SHORT_UNITS[glued[2]], int(glued[1]), place, place + 2)
    count = _count_at(reading, place + 1)
    full = int(count is not None and reading.lower(place + 2) in _FULL)
    grain = reading.language.grains.get(reading.lower(place + full + (2 if count else 1)))
    if grain is None or (count is None and _is_no_window(reading, place, grain)):
        return None
    if full and count and reading.lowers[place] in reading.language.past:
        return Time(RelativeTime(grain, -count, 0, whole=True), place, place + 4)
    size, end = (count, place + 3 + full) if count else (1, place + 2)
    time = _beside_now(reading, grain, size, place, end)
    if count is None and reading.lowers[place] in reading.language.past:
        return replace(time, others=(RelativeTime(grain, -1, 0, whole=True),))  # `last months bookings`
    return time


def _beside_now(reading: Reading, unit: Grain, size: int, place: int, end: int) -> Time:
    """The units up to now, or those from now on after a word of the future."""
    ahead = reading.lowers[place] in reading.language.future
    return Time(RelativeTime(unit, 0, size) if ahead else RelativeTime(unit, -size, 0), place, end)


def _is_no_window(reading: Reading, place: int, grain: Grain) -> bool:
    """Whether a unit without a number is no window of time: `their last day` is a day of theirs."""
    if reading.has_role(place, Role.TIME) or (grain is Grain.DAY and reading.lower(place - 1) in _POSSESSIVE):
        return True
    return place > 0 and reading.lowers[place] not in reading.language.past


_FULL = frozenset({"full", "complete", "completed", "whole", "calendar", "entire"})
_POSSESSIVE = frozenset({"their", "his", "her", "its", "my", "your", "our", "'s"})


def _count_at(reading: Reading, place: int) -> int | None:
    number = reading.lower(place)
    return reading.language.numbers.get(number) or (
        int(number) if number.isdecimal() and len(number) < _LONGEST_COUNT else None
    )


_GLUED = lazy(r"(\d{1,4})(h|hr|hrs|d|w|wk|wks|mo|mos|min|mins|y|yr|yrs)")
"""`24h`, `7d`."""
_LONGEST_COUNT = 5
"""A number of units of time has fewer digits."""
