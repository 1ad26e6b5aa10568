"""Reads years, seasons and centuries."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

from scoring.patterns import lazy
from scoring.question.calendar.moments import DAY, YEAR, Time, year_span
from scoring.question.language import Role
from scoring.question.reading import Reading
from scoring.values import Grain, TimeRange, shift

_RANGE_JOINTS = frozenset({",", "to", "-", "–", "/"})
_AGAINST = frozenset({"vs", "versus", "against"})
_TIME_COMPARISONS = frozenset(
    "after before since until till prior later earlier by no following starting beginning up in on at".split()
)


def read_year(reading: Reading, place: int) -> Time | None:
    """A four-digit number that is a year: after `in`, `since`, `before`, `year`, a month or a range of years."""
    match = YEAR.fullmatch(reading.tokens[place].lower)
    after, language = reading.lower(place + 1), reading.language
    if match is None or (after in language.units and after not in language.grains):
        return None
    if not _after_time_word(reading, place):
        return None
    year = int(match[1])
    span = year_span(year, year + 1, place, place + 1)
    return replace(span, explicit=False) if span is not None and is_fiscal(reading, place) else span


def is_fiscal(reading: Reading, place: int) -> bool:
    """Whether a year or month before `place` is one of a company's own year, which starts when it likes."""
    return not _FISCAL.isdisjoint(reading.lowers[max(place - 4, 0) : place])


_FISCAL = frozenset({"fiscal", "financial", "fy", "accounting"})


def read_fiscal_year(reading: Reading, place: int) -> Time | None:
    """`FY26`, `fy 2026`: twelve months that begin or end in that calendar year."""
    word, start = reading.tokens[place].lower, place
    if word.isdecimal() and reading.lower(place - 1) == "fy":
        word, start = f"fy{word}", place - 1
    match = _FISCAL_YEAR.fullmatch(word)
    if match is None or (len(match[1]) == _SHORT and not 0 < int(match[1]) < _LAST_SHORT):
        return None
    year = int(match[1]) + 2000 * (len(match[1]) == _SHORT)
    whole = year_span(year, year + 1, start, place + 1)
    return None if whole is None else replace(whole, others=tuple(_twelve_months(year)))


def fiscal_quarter(reading: Reading, rank: int, start: int, end: int) -> Time | None:
    """`Q1 of FY26`: three months that begin so many quarters after one of the twelve months that FY26 may be."""
    at = end + (reading.lower(end) in reading.language.of or reading.lower(end) == ",")
    year = read_fiscal_year(reading, at) if reading.is_word(at) else None
    if year is None:
        return None
    years = [each.start for each in year.others if isinstance(each, TimeRange) and each.start is not None]
    firsts = [shift(each, Grain.MONTH, 3 * rank - 3) for each in years]
    first, *others = [TimeRange(each, shift(each, Grain.MONTH, 3)) for each in firsts]
    return Time(first, start, year.end, others=tuple(others))


def _twelve_months(year: int) -> list[TimeRange]:
    firsts = [datetime(year - (place < 12), place % 12 + 1, 1) for place in range(1, 24)]
    return [TimeRange(first, shift(first, Grain.YEAR, 1)) for first in firsts]


_FISCAL_YEAR = lazy(r"fy['’]?(\d\d|20\d\d)")
_SHORT = 2
_LAST_SHORT = 60


def _after_time_word(reading: Reading, place: int) -> bool:
    """Whether the words around a number make it a year."""
    language = reading.language
    at = _before_articles(reading, place)
    before = reading.lower(at)
    if _leads_to_year(reading, before) or reading.lower(place + 1) in language.year_words:
        return True
    if at < place - 1 and reading.is_word(place + 1) and reading.tokens[place + 1].text[0].isupper():
        return True
    if _is_told_by_words(reading, at, place):
        return True
    if _joins_years(reading, before):
        return place >= 2 and YEAR.fullmatch(reading.lower(place - 2)) is not None
    mark = reading.ends.get(place)
    return mark is not None and mark.cue.role is Role.COMPARE and reading.lowers[mark.start] in _TIME_COMPARISONS


def _is_told_by_words(reading: Reading, at: int, place: int) -> bool:
    """Whether the words around, of which those before end at `at`, make a number a year."""
    if _is_so_far(reading, place + 1) or _is_spanned(reading, place):
        return True
    return _is_called_year(reading, at) or _names_year(reading, place)


def _names_year(reading: Reading, place: int) -> bool:
    """Whether a number of these years stands alone before or after what is measured: `2025 revenue`, `sales 2025`."""
    mark = reading.ends.get(place)
    if _THESE_YEARS.fullmatch(reading.lower(place)) is None or (mark is not None and mark.cue.role is Role.COMPARE):
        return False
    before, after, measures = reading.lower(place - 1), reading.lower(place + 1), reading.language.measures
    if before in _NUMBERED:
        return False
    if after in measures or (after in _COUNTED and before not in _OF_MANY):
        return True
    if (after in _JOINED and _names_year(reading, place + 2)) or _is_compared_to(reading, place):
        return True
    return before in measures and (not reading.is_word(place + 1) or after in _GOES_ON)


def _is_compared_to(reading: Reading, place: int) -> bool:
    return reading.lower(place - 1) in {"to", "with"} and reading.lower(place - 2).startswith("compar")


_JOINED = frozenset({"and", "vs", "versus", "to", "with"})
_THESE_YEARS = lazy(r"20[1-3]\d")
_COUNTED = frozenset("orders invoices bookings payments customers deliveries shipments tickets claims visits".split())
_OF_MANY = frozenset("top first last least most over under about around than of".split())
_NUMBERED = frozenset("number no nr id code room store flight unit model rank position score rating".split())
"""Words after which a number is a name or a value."""
_GOES_ON = frozenset("by per for vs and in of with across".split())


def _is_called_year(reading: Reading, at: int) -> bool:
    """Whether `the year is` ends at a place."""
    return reading.lower(at) in reading.language.copulas and reading.tokens[at - 1].stem in reading.language.year_words


def _is_spanned(reading: Reading, place: int) -> bool:
    """Whether `over` leads to a year, and no noun follows as in `over 2025 parcels`."""
    after, language = reading.lower(place + 1), reading.language
    noun = reading.is_word(place + 1) and after not in language.prepositions and after not in language.conjunctions
    return reading.lower(place - 1) == "over" and not noun


def _is_so_far(reading: Reading, place: int) -> bool:
    return reading.lower(place) == "ytd" or tuple(reading.lowers[place : place + 2]) in _SO_FAR


_SO_FAR = frozenset({("so", "far"), ("to", "date")})


def _before_articles(reading: Reading, place: int) -> int:
    """The place of the word before a number, without articles and `either`."""
    language, at = reading.language, place - 1
    while at > place - 4 and (reading.lower(at) in language.articles or reading.lower(at) in language.either):
        at -= 1
    return at


def _leads_to_year(reading: Reading, word: str) -> bool:
    language = reading.language
    tables = (language.in_time, language.year_words, language.time_verbs, language.by, language.ranges)
    return any(word in table for table in tables)


def _joins_years(reading: Reading, word: str) -> bool:
    if word in reading.language.conjunctions or word in _RANGE_JOINTS or word in _AGAINST:
        return True
    return any(word in joins for joins in reading.language.ranges.values())


def read_season(reading: Reading, text: str, place: int) -> Time | None:
    """`2019/2020`: both years; certain only in a range."""
    first, last = (int(part) for part in re.split(r"[-/]", text))
    last = last if last > 99 else first - first % 100 + last
    if not 0 < last - first <= 150 or not 1500 <= first < 2100:
        return None
    years = year_span(first, last + 1, place, place + 1)
    ranged = reading.lower(place - 1) in reading.language.ranges
    return Time(years.moment, place, place + 1, explicit=ranged) if years else None


def read_century(reading: Reading, place: int) -> Time | None:
    """`19th century`."""
    match = DAY.fullmatch(reading.tokens[place].lower)
    if match is None or reading.lower(place + 1) not in reading.language.centuries:
        return None
    last = int(match[1]) * 100
    return year_span(last - 99, last + 1, place, place + 2) if last else None
