"""Periods that a question names: `monthly revenue`, `week over week`, `over time`."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.specification import QuestionSpec

_PERIODS = {
    "hourly": ("hour", "%h"),
    "daily": ("day", "date", "%d"),
    "weekly": ("week", "%w"),
    "monthly": ("month", "%m"),
    "quarterly": ("quarter",),
    "yearly": ("year", "%y"),
    "annual": ("year", "%y"),
    "annually": ("year", "%y"),
    "weekday": ("dow", "dayofweek", "weekday", "dayname", "'day'", "%w", "%a"),
    "mom": ("month", "%m"),
    "yoy": ("year", "%y"),
    "wow": ("week", "%w"),
}
_COURSE = lazy(
    r"\btrend|over time|\bdevelop|\bevol|\bhistor|\bseason|\btimeline|\bprogress|\bgrow|"
    r"over the (?:past|last|years|months)|\bsince\b|\bchanged?\b"
)
"""Words that ask how something went, which may be shown by any period."""
_DATE_PART = lazy(
    r"trunc|extract|strftime|to_char|format|\byear|\bmonth|\bweek|\bday|\bquarter|\bdate|\bhour|datepart|date_part"
)


def is_period(key: str, question: QuestionSpec) -> bool:
    """Whether a grouping key is the period of `monthly revenue`. A monthly fee needs no grouping, so it asks for none.

    >>> from scoring.question import read_question
    >>> monthly = read_question("Monthly revenue in 2025")
    >>> is_period("date_trunc('month', paid_at)", monthly), is_period("region", monthly)
    (True, False)
    """
    if any(each.func == "AVG" for each in question.aggregations):
        return False
    marks = [mark for token in question.tokens for mark in _PERIODS.get(token.lower, ())]
    return any(mark in key.lower() for mark in marks)


def names_time(key: str, question: QuestionSpec) -> bool:
    """Whether a key is a part of a date, and the question asks how something went over time.

    >>> from scoring.question import read_question
    >>> names_time("date_trunc('week', lent_on)", read_question("lending trend"))
    True
    """
    return _DATE_PART.search(key.lower()) is not None and _COURSE.search(question.text.casefold()) is not None


_GRAINS = ("hour", "day", "week", "month", "quarter", "year")
_TRUNCATED = lazy(r"date_trunc\('(\w+)'|\b(hour|week|yearweek|month|quarter|year)\(|last_day\([^)]*, (\w+)\)")
_DAILY = lazy(r"^(?:date\([\w.]+\)|cast\([\w.]+ as date\)|date_trunc\('day', [\w.]+\))$")
_MOMENT = lazy(r"^\w+_(?:at|ts|time|timestamp|datetime)$")


def grain_of(key: str) -> str | None:
    """The finest period that a grouping key tells apart; `None` where its text does not say.

    >>> [grain_of(key) for key in ("date_trunc('month', paid_at)", "date(paid_at)", "year(paid_at)", "region")]
    ['month', 'day', 'year', None]
    >>> grain_of("paid_at")
    'moment'
    """
    if _MOMENT.match(key):
        return "moment"
    if _DAILY.match(key):
        return "day"
    found = [next(filter(None, each.groups())).removeprefix("year") or "year" for each in _TRUNCATED.finditer(key)]
    known = [_GRAINS.index(each) for each in found if each in _GRAINS]
    return _GRAINS[min(known)] if known else None


def grain_asked(question: QuestionSpec) -> str | None:
    """The one period of which each is asked for: `per month`, `by week`, `monthly visits`.

    >>> from scoring.question import read_question
    >>> [grain_asked(read_question(text)) for text in ("Visits per month", "Visits by hall", "Visits by week and year")]
    ['month', None, None]
    """
    named = [each for phrase in question.group_by for each in _GRAINS if each in phrase.split()]
    period = period_of_each(question)
    if period is not None:
        named.append(_PERIODS[period][0])
    return named[0] if len(named) == 1 else None


_EVERY = lazy(
    r"^(?:(?:please |can you )?(?:show|give|list|get|tell|plot|chart)(?: me| us)? )?(?:the |our |all )?"
    r"(hourly|daily|weekly|monthly|quarterly) (?!active|fee|rate|salary|budget|report|newsletter|average|price)\w+"
)
"""A text that starts with a period asks for one value for each of them."""


def period_of_each(question: QuestionSpec) -> str | None:
    """The period of which each is asked for, in a text that begins with it and names no other time of that length.

    >>> from scoring.question import read_question
    >>> [period_of_each(read_question(text)) for text in ("Monthly visits in 2025", "What is the fee?")]
    ['monthly', None]
    """
    found = _EVERY.search(question.text.casefold())
    if found is None or any(each.func == "AVG" for each in question.aggregations):
        return None
    grain = _PERIODS[found[1]][0]
    return found[1] if grain not in question.stems else None
