"""What a span of time takes in by its words: the last of the days that it names, and whole weeks and months."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import cue
from scoring.specification import Clause, Op, SqlFilter
from scoring.values import Grain, Number, RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = rf"(?:{'|'.join(_NAMES)})[a-z]*\.?"
_DAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.? )?(?:the )?(\d{1,2})(?:st|nd|rd|th)?"
_TO = r"(?: ?[-–—] ?| (?:to|thru|through|till|until|til) )"
_DAYS_OF = cue(
    "jan feb mar apr may jun jul aug sep oct nov dec ) incl both",
    rf"(?<![\d.:/-]){_DAY}(?: (?:of )?{_MONTH})?{_TO}{_DAY}(?: (?:of )?({_MONTH})|(?=\)| ?,? incl| both))",
)
_OF_DAYS = cue(
    "jan feb mar apr may jun jul aug sep oct nov dec", rf"\b({_MONTH}) {_DAY}{_TO}(?:{_MONTH} )?{_DAY}\b(?![%:/])"
)
_NIGHTS = cue("night check exclud", r"\bnights?\b|\bcheck(?:ing|ed)?[- ]?outs?\b|\bexclud\w* the last\b")
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
    for match in _DAYS_OF.matches(text):
        yield match.group(), int(match[1]), int(match[2]), match[3] or ""
    for match in _OF_DAYS.matches(text):
        yield match.group(), int(match[2]), int(match[3]), match[1]


def _ends_early(time: TimeRange, first: int, last: int, month: str) -> bool:
    """Whether a time begins with the first day, and ends with the midnight before the last."""
    if time.start is None or time.end is None or not first < last:
        return False
    named = not month or _NAMES[time.end.month - 1] == month[:3]
    midnight = (time.end.hour, time.end.minute) == (0, 0)
    return named and midnight and (time.start.day, time.end.day) == (first, last) and (time.end - time.start).days < 31


_UNITS = {"wk": "week", "mth": "month", "mo": "month", "qtr": "quarter"}
_CALENDAR = cue(
    "last previous prior past",
    r"(?<!the )(?<!day )(?<!days )(?<!date )(?<!time )(?<!since )(?<!than )(?<!until )(?<!before )(?<!same )"
    r"\b(?:last|previous|prior) (?P<one>week|wk|month|mth|quarter|qtr)\b"
    r"|\b(?:last|previous|prior) (?:full |complete |completed |whole |calendar ){1,2}(?P<whole>week|month|quarter)\b"
    r"|\b(?:last|past|previous) (?:\d+|two|three|four|six|eight|twelve) (?:full|complete|whole|calendar|completed) "
    r"(?P<many>week|wk|month|mth|mo|quarter|qtr)s\b",
)
_SOME = cue(
    "last past previous", r"\b(?:last|past|previous) (?:\d+|two|three|four|six|eight|twelve) (?:week|month|quarter)s\b"
)
"""Weeks or months of which a rewritten question may say that they are full ones."""
_ROLLING = cue("rolling days", r"\brolling\b|\b(?:last|past|previous) \d+ days\b")
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
    found = _CALENDAR.search(case.asked) or _full_ones(case)
    if found is None or _ROLLING.search(case.asked) is not None:
        return None
    now = case.query.occurred_at
    today = now.replace(tzinfo=None, hour=0, minute=0, second=0, microsecond=0) if now is not None else None
    unit = found["one"] or found["many"] or found["whole"]
    unit = _UNITS.get(unit, unit)
    for each in case.sql.filters:
        if each.op is Op.WITHIN and each.clause is Clause.WHERE and _rolls(each, unit, found["many"], today):
            return Finding(1.0, f"{found.group()}: {each.text}")
    return None


def _full_ones(case: Case) -> re.Match[str] | None:
    """What a rewritten question says of weeks or months that the person does not call full."""
    told = _CALENDAR.search(case.said) if _SOME.search(case.asked) is not None else None
    return told if told is not None and told["many"] else None


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


_OLDER = cue(
    "older over above up",
    r"\b(?:(\d\d) (?:or|and) (?:older|over|above|up)|(?:over|older than|above) (?:the age of )?(\d\d))\b",
)
_YOUNGER = cue(
    "younger under below",
    r"\b(?:(\d\d) (?:or|and) (?:younger|under|below)|(?:under|younger than|below) (?:the age of )?(\d\d))\b",
)
_BIRTH = frozenset({"birth", "birthday", "birthdate", "dob", "born"})


def age_flipped(case: Case) -> Finding | None:
    """Those of an age or older are asked for, and those born since then are kept, or the other way round.

    >>> age_flipped(case("Pilots who are 55 or older", "SELECT id FROM pilots WHERE birth_date >= '1970-01-01'")).detail
    '55 or older: birth_date within [1970-01-01, )'
    """
    older, younger = _OLDER.search(case.asked), _YOUNGER.search(case.asked)
    found = older or younger
    if found is None or (older is not None and younger is not None) or "born" in case.asked:
        return None
    for each in case.sql.filters:
        rhs = each.rhs
        if not isinstance(rhs, TimeRange | RelativeTime) or each.op is not Op.WITHIN or not _is_of_birth(each):
            continue
        since, before = rhs.end is None, rhs.start is None
        if (since if older is not None else before) and since is not before:
            return Finding(1.0, f"{found.group()}: {each.text}")
    return None


def _is_of_birth(each: SqlFilter) -> bool:
    columns = each.lhs.columns if each.lhs is not None else ()
    return len(columns) == 1 and not _BIRTH.isdisjoint(identifier_words(columns[0].name))


_AGO = cue(
    "ago", r"\b(more than|over|longer than|older than|less than|under) (\d+) (?:day|hour|week|month|minute)s? ago\b"
)


def distance_from_now_flipped(case: Case) -> Finding | None:
    """What lies further back than a number of days is asked for, and what lies nearer is kept, or the other way round.

    >>> distance_from_now_flipped(case("Trips of more than 9 days ago",
    ...     "SELECT id FROM trips WHERE DATEDIFF(day, begun_on, GETDATE()) < 9")).detail
    'more than 9 days ago: datediff(current_timestamp, begun_on, day) < 9'
    """
    found = _AGO.search(case.asked)
    for each in case.sql.filters if found is not None else ():
        if found is None or not isinstance(each.rhs, Number) or each.rhs.value != int(found[2]) or each.lhs is None:
            continue
        wanted = (Op.LT, Op.LE) if found[1] not in ("less than", "under") else (Op.GT, Op.GE)
        if each.op in wanted and _FROM_NOW.match(each.lhs.name) is not None:
            return Finding(1.0, f"{found.group()}: {each.text}")
    return None


_FROM_NOW = lazy(r"(?:date|timestamp)_?diff\((?:current_|now|getdate|sysdate|today)|(?:current_|now|sysdate).* - ")
