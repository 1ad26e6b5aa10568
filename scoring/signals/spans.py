"""What a span of time takes in by its words: the last of the days that it names, and whole weeks and months."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from scoring.signals.finding import Finding
from scoring.specification import Clause, Op, SqlFilter
from scoring.values import Grain, RelativeTime, TimeRange
from scoring.verdict import Case

_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = rf"(?:{'|'.join(_NAMES)})[a-z]*\.?"
_DAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.? )?(?:the )?(\d{1,2})(?:st|nd|rd|th)?"
_TO = r"(?: ?[-–—] ?| (?:to|thru|through|till|until|til) )"
_DAYS_OF = re.compile(
    rf"(?<![\d.:/-]){_DAY}(?: (?:of )?{_MONTH})?{_TO}{_DAY}(?: (?:of )?({_MONTH})|(?=\)| ?,? incl| both))"
)
_OF_DAYS = re.compile(rf"\b({_MONTH}) {_DAY}{_TO}(?:{_MONTH} )?{_DAY}\b(?![%:/])")
_NIGHTS = re.compile(r"\bnights?\b|\bcheck(?:ing|ed)?[- ]?outs?\b|\bexclud\w* the last\b")
"""A stay ends with the morning of its last day."""


def last_day_left_out(case: Case) -> Finding | None:
    """Days are named from the first to the last, and the SQL ends where the last one begins.

    >>> last_day_left_out(case("Trips from 3 to 9 may",
    ...     "SELECT id FROM trips WHERE day >= '2020-05-03' AND day < '2020-05-09'")).detail
    '3 to 9 may: day within [2020-05-03, 2020-05-09)'
    """
    if _NIGHTS.search(case.asked) is not None:
        return None
    for text, first, last, month in _named_days(case.asked):
        for each in case.sql.filters:
            rhs = each.rhs
            if isinstance(rhs, TimeRange) and _ends_early(rhs, first, last, month):
                return Finding(1.0, f"{text}: {each.text}")
    return None


def _named_days(text: str) -> Iterator[tuple[str, int, int, str]]:
    """The spans of days that a text names: their words, the first and the last day, and the month if it is said."""
    for match in _DAYS_OF.finditer(text):
        yield match.group(), int(match[1]), int(match[2]), match[3] or ""
    for match in _OF_DAYS.finditer(text):
        yield match.group(), int(match[2]), int(match[3]), match[1]


def _ends_early(time: TimeRange, first: int, last: int, month: str) -> bool:
    """Whether a time begins with the first day, and ends with the midnight before the last."""
    if time.start is None or time.end is None or not first < last:
        return False
    named = not month or _NAMES[time.end.month - 1] == month[:3]
    midnight = (time.end.hour, time.end.minute) == (0, 0)
    return named and midnight and (time.start.day, time.end.day) == (first, last) and (time.end - time.start).days < 31


_UNITS = {"wk": "week", "mth": "month", "mo": "month", "qtr": "quarter"}
_CALENDAR = re.compile(
    r"(?<!the )(?<!day )(?<!days )(?<!date )(?<!time )(?<!since )(?<!than )(?<!until )(?<!before )(?<!same )"
    r"\b(?:last|previous|prior) (?P<one>week|wk|month|mth|quarter|qtr)\b(?!'s)"
    r"|\b(?:last|past|previous) (?:\d+|two|three|four|six|eight|twelve) (?:full|complete|whole|calendar|completed) "
    r"(?P<many>week|wk|month|mth|mo|quarter|qtr)s\b"
)
_ROLLING = re.compile(r"\brolling\b|\b(?:last|past|previous) \d+ days\b")
_LENGTHS = {"week": (7, 7), "month": (28, 31), "quarter": (89, 93)}
"""How many days a window has that stands for one of them."""
_DAYS = {Grain.DAY: 1.0, Grain.WEEK: 7.0, Grain.MONTH: 30.5, Grain.QUARTER: 91.5}


def window_for_calendar(case: Case) -> Finding | None:
    """Last week, last month or full ones are asked for, and the SQL goes back as many days from now.

    Of `the last month`, people also mean the last 30 days, and it is left alone.

    >>> window_for_calendar(case("How many trips last month?",
    ...     "SELECT COUNT(*) FROM trips WHERE day >= NOW() - INTERVAL '1 month'")).detail
    'last month: day within now[-1, None) month'
    """
    found = _CALENDAR.search(case.asked)
    if found is None or _ROLLING.search(case.asked) is not None:
        return None
    now = case.query.occurred_at
    today = now.replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0) if now is not None else None
    unit = found["one"] or found["many"]
    unit = _UNITS.get(unit, unit)
    for each in case.sql.filters:
        if each.op is Op.WITHIN and each.clause is Clause.WHERE and _rolls(each, unit, found["many"], today):
            return Finding(1.0, f"{found.group()}: {each.text}")
    return None


def _rolls(each: SqlFilter, unit: str, many: str | None, today: datetime | None) -> bool:
    """Whether a condition keeps a time that reaches back from now, and begins within a week or month."""
    rhs = each.rhs
    if isinstance(rhs, RelativeTime):
        start = rhs.resolve(today).start if today is not None else None
        length = _length(rhs)
    elif isinstance(rhs, TimeRange) and rhs.start is not None and today is not None:
        start, end = rhs.start, rhs.end or today
        length = float((today - start).days) if abs((end - today).days) <= 1 else 0.0
    else:
        return False
    shortest, longest = _LENGTHS[unit]
    return not _begins_calendar(start, unit) and (shortest <= length <= longest or (many is not None and length > 0))


def _length(time: RelativeTime) -> float:
    """The days that a time reaches back from now, to the minute; 0 where it does not, or is cut to a unit."""
    back = not time.whole and time.start is not None and time.end in (None, 0)
    return -time.start * _DAYS.get(time.unit, 0.0) if back and time.start is not None else 0.0


def _begins_calendar(start: datetime | None, unit: str) -> bool:
    """Whether a day begins a week, which may be on a Sunday, or a month."""
    if start is None:
        return False
    return start.weekday() in (0, 6) if unit == "week" else start.day == 1
