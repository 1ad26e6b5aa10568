"""Signals about fiscal years, which begin in the month that a text says."""

from __future__ import annotations

import re
from datetime import datetime

from scoring.patterns import lazy
from scoring.question.house_years import first_month, in_house_years, named_after_end
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.wording import CuedPattern, asked, cue, said
from scoring.specification import SqlFilter
from scoring.values import Grain, RelativeTime, TimeRange, Value, shift
from scoring.verdict import Case

_FISCAL = cue(
    "fiscal fin fy", r"\b(?:fiscal|fin(?:ancial)?) (?:years?|yrs?|quarters?|q[1-4]|half)\b|\bfy ?'?(?:\d{2,4})?\b"
)
_QUARTER = cue(
    "q1 q2 q3 q4 quarter", r"\bq([1-4])\b|\b(first|second|third|fourth|1st|2nd|3rd|4th) (?:fiscal )?quarter\b"
)
_HALF = cue("half", r"\b(first|second|1st|2nd) half\b")
_ORDINALS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_YEAR_DAYS = 360
_QUARTER_DAYS = 80


def fiscal_year_as_calendar(case: Case) -> Finding | None:
    """A fiscal year is asked for that does not begin in January, and the SQL takes other months or another year's name.

    The calendar year or quarter is one of them. A fiscal year that is named after the year in which it ends begins in
    the year before. The tenant's rules may say when it begins (`fiscal_year`). Where no text says when it begins, the
    calendar year is a doubt: who means it rarely says `fiscal`.

    >>> fiscal_year_as_calendar(case("Trips in fiscal year 2020 (it starts in July)",
    ...     "SELECT COUNT(*) FROM trips WHERE began_at >= '2020-01-01' AND began_at < '2021-01-01'")).detail
    'expected → actual: from July → began_at within [2020-01-01, 2021-01-01)'
    """
    ruled = _against_rules(case) if case.rules.fiscal_year.starts != 1 else None
    if ruled is not None:
        return ruled
    text = said(case)
    begins = first_month(text) if _FISCAL.search(text) else 1
    if begins is None:
        return _calendar_year(case)
    if begins == 1:
        return None
    for each in case.sql.filters:
        months = _months_wanted(text, begins, each)
        if months and isinstance(each.rhs, TimeRange) and each.rhs.start and each.rhs.start.month not in months:
            return differing(f"from {_NAMES[months[0] - 1]}", each.text)
    return _of_other_name(text, begins, case) or _from_calendar(case)


_A_DOUBT = 0.5
_CALENDAR = lazy(r"\bcalendar|\bjan(?:uary)?\b|-01-01\b|\bytd\b")


_MOVED = lazy(r"date_?add\([^()]{1,80}, (-?\d{1,2}), month\)|add_months\([^()]{1,80}, (-?\d{1,2})\)", re.IGNORECASE)


def _is_moved_to_it(text: str, asked_text: str) -> bool:
    """Whether dates are moved by months before their year is taken, so that it begins in a month that is named."""
    found = _MOVED.search(text)
    if found is None:
        return False
    first = -int(found[1] or found[2]) % 12
    return re.search(rf"\b{_NAMES[first][:3].lower()}", asked_text) is not None


def _calendar_year(case: Case) -> Finding | None:
    """A calendar year for the fiscal one, of which nothing says that it is the same."""
    if case.rules.fiscal_year.words or _CALENDAR.search(asked(case)) or not _FISCAL.search(asked(case)):
        return None
    years = [each for each in case.sql.filters if _is_calendar_year(each.rhs)]
    taken = next((each.text for each in years if not _is_moved_to_it(each.text, asked(case))), None)
    return Finding(_A_DOUBT, f"expected → actual: the house's own year → {taken}") if taken is not None else None


def _is_calendar_year(value: Value | None) -> bool:
    if isinstance(value, RelativeTime):
        return value.unit is Grain.YEAR and value.whole
    if not isinstance(value, TimeRange) or value.start is None or (value.start.month, value.start.day) != (1, 1):
        return False
    return value.end is None or (value.end - value.start).days >= _YEAR_DAYS


def _against_rules(case: Case) -> Finding | None:
    """A time that starts with a month, where the rules say that the house's year or quarter starts with another."""
    moment = case.query.occurred_at.replace(tzinfo=None) if case.query.occurred_at else None
    dated = in_house_years(case.question, case.rules.fiscal_year, moment)
    asked = [each.rhs for each in dated.filters if each not in case.question.filters]
    starts = {start: each.text for each in case.sql.filters if (start := _start(each.rhs, moment)) is not None}
    for each in asked:
        if isinstance(each, TimeRange) and each.start is not None and each.start not in starts:
            of_years = each.end != shift(each.start, Grain.MONTH, 3)
            other = next((start for start in starts if _is_other(start, each.start, of_years=of_years)), None)
            if other is not None:
                return differing(f"from {each.start:%Y-%m-%d}", starts[other])
    return None


def _is_other(start: datetime, wanted: datetime, *, of_years: bool) -> bool:
    """Whether a time starts with a month, and a year with another month than those of the house."""
    return (start.day, start.hour) == (1, 0) and not (of_years and start.month == wanted.month)


def _start(value: Value | None, moment: datetime | None) -> datetime | None:
    """Where a time starts."""
    if isinstance(value, RelativeTime):
        return value.resolve(moment).start if moment is not None else None
    return value.start if isinstance(value, TimeRange) else None


_NAMES = "January February March April May June July August September October November December".split()


def _months_wanted(text: str, begins: int, each: SqlFilter) -> list[int]:
    """The months in which a condition's period may begin; none where it is too short to tell."""
    if not isinstance(each.rhs, TimeRange) or each.rhs.start is None or each.rhs.end is None:
        return []
    days = (each.rhs.end - each.rhs.start).days
    if days >= _YEAR_DAYS or _RUNNING.search(text) is not None:
        return [begins]
    quarters, halves = _named(_QUARTER, text), _named(_HALF, text)
    if days < _QUARTER_DAYS or not (quarters or halves):
        return []
    months = [begins + 3 * (number - 1) for number in quarters] + [begins + 6 * (number - 1) for number in halves]
    return [(month - 1) % 12 + 1 for month in months]


_RUNNING = cue(
    "this current fytd",
    r"\b(?:this|current) (?:fiscal|financial) (?:year|yr)\b|\bthis fy\b(?! ?q)|\bfytd\b"
    r"|\b(?:fiscal|financial) (?:year|yr) to date\b",
)


def _named(pattern: CuedPattern, text: str) -> list[int]:
    """The numbers of the quarters or halves that a text names."""
    found = {word for match in pattern.matches(text) for word in match.groups() if word}
    return sorted({_ORDINALS.get(word) or int(word) for word in found})


_SHIFTED = lazy(
    r"^(?:year|toyear)\(.* ([-+]) interval\('(\d+)', months\)\)$|^case when "
    r"month\(.*\) >= (\d+) then year\([^()]*\)( \+ 1)? "
    r"else year\([^()]*\)( - 1)? end$"
)


def _of_other_name(text: str, begins: int, case: Case) -> Finding | None:
    """The year by which rows are grouped, where it is not the name of their fiscal year."""
    ends = named_after_end(text)
    if ends is None:
        return None
    for key in case.sql.group_by:
        match = _SHIFTED.match(key.operand.name)
        if match is None:
            continue
        shift = _shift(match)
        if shift is not None and shift != ((13 - begins) if ends else (1 - begins)):
            return differing(f"the year in which it {'ends' if ends else 'begins'}", key.operand.name)
    return None


def _shift(match: re.Match[str]) -> int | None:
    """By how many months a date is moved before its year is read."""
    if match[1]:
        return int(f"{match[1]}{match[2]}")
    later, earlier = match[4] is not None, match[5] is not None
    if later is earlier:
        return None
    return 13 - int(match[3]) if later else 1 - int(match[3])


_THIS_YEAR = lazy(
    r"\bdate_trunc\(\s*'?year'?\s*,\s*(?:current_date|current_timestamp|now|getdate|sysdate)(?:\(\))?(?:::date)?\s*\)"
    r"\s*\+\s*interval\b"
)


def _from_calendar(case: Case) -> Finding | None:
    """The months are added to this calendar year, so that the fiscal year begins in the future for some months."""
    found = _THIS_YEAR.search(case.written.casefold())
    return Finding(1.0, f"{found.group()} is of the calendar year") if found is not None else None
