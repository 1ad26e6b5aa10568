"""Signals about ages and full years, which calendar years do not give."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import cue, said
from scoring.specification import Column
from scoring.verdict import Case
from scoring.words import identifier_words

_AGES = cue(
    "year old age anniversar birthday under over below above",
    r"\b(?:full|whole|complete|completed) years?\b|\byears? (?:old|of age)\b"
    r"|\b\d+ (?:years? |yrs? )?(?:or|and) (?:older|over|younger)\b"
    r"|\baged? \d+|\b(?:avg|average|mean|median|what|the|their) age\b|\bage (?:when|at|of|per|by)\b"
    r"|\b(?:more|less|longer|over|under|at least|at most) (?:than )?\d+ (?:years|yrs)\b"
    r"|\b(?:over|under|at least|above|below) \d+ years\b|\banniversar(?:y|ies)\b|\bbirthdays?\b"
    r"|\b(?:over|under|below|above) (?:the age of )?\d\d (?:today|now)\b|\bhow old\b",
)
_BY_CALENDAR = lazy(
    r"\byear\s*\(\s*(?:curdate\(\)|current_date(?:\(\))?|now\(\)|getdate\(\)|sysdate"
    r"|current_timestamp)\s*\)\s*-\s*year\s*\("
    r"|\bextract\s*\(\s*year\s+from\s+(?:current_date|now\(\)|sysdate"
    r"|current_timestamp)(?:\(\))?\s*\)\s*-\s*extract\s*\("
    r"\s*year\b|\bdatediff\s*\(\s*'?(?:year|yy|yyyy)'?\s*,|\bdate_diff\s*\(\s*'year'\s*,"
    r"|\bdate_diff\s*\([^()]*(?:\([^()]*\)[^()]*)*,"
    r"\s*year\s*\)|strftime\s*\(\s*'%y'\s*,\s*'now'\s*\)\s*-\s*strftime\s*\(\s*'%y'",
    re.IGNORECASE,
)
_CORRECTED = lazy(r"\bcase\b|\bdateadd\b|\bif\s*\(|\biif\b|%m%d|%m-%d|mmdd|\bmonth\b|\bdayofyear\b", re.IGNORECASE)


_BY_BIRTH = lazy(
    r"\b(?:datediff\s*\(\s*'?(?:year|yy|yyyy)'?\s*,|date_diff\s*\(\s*'year'\s*,)\s*(?:\w+\.)?\w*(?:birth|dob|born)\w*",
    re.IGNORECASE,
)
_CORRECTED_AGE = lazy(
    r"-\s*\(?\s*(?:case|iif|if)\b|\bdateadd\s*\(\s*(?:year|yy|yyyy)|\badd_months\b|mm-?dd|%m-?%d|dayofyear",
    re.IGNORECASE,
)
"""What takes a year off before the birthday."""


_AGE_THEN = cue(
    "under over below above younger older age old turned",
    r"\b(?:under|over|below|above|younger|older|aged?|old|turned)\b[^.;?]{0,30}\b(?:on the day|at the time|when"
    r"|the day) (?:of )?(?:the |their )?(?:they |she |he |we )?(?:were |was |had |got )?(?:enrol|join|sign|hire|start"
    r"|book|regist|admi|purchas|order|appl|bought|began)\w*",
)
_NOW = lazy(r"current_date|current_timestamp|curdate|getdate|sysdate|\bnow\b|\btoday\b|utc_timestamp", re.IGNORECASE)
_BIRTH = frozenset({"birth", "birthday", "dob", "born", "birthdate"})


def _age_today(case: Case) -> str | None:
    """The age at an event is asked for, and the time of birth is held against now, and against no other time."""
    found = _AGE_THEN.search(case.asked)
    if found is None or _NOW.search(case.written) is None:
        return None
    born = [(text, columns) for text, columns in _parts(case) if _reads_birth(columns)]
    now = next((text for text, _ in born if _NOW.search(text) is not None), None)
    return f"{found.group()}: {now}" if now is not None and all(len(columns) == 1 for _, columns in born) else None


def _parts(case: Case) -> list[tuple[str, tuple[Column, ...]]]:
    """What the SQL tests, adds and shows, each with its columns."""
    parts = [(each.text, each.lhs.columns) for each in case.sql.filters if each.lhs is not None]
    parts += [(each.column, each.columns) for each in case.sql.aggregations]
    return parts + [(each.operand.name, each.operand.columns) for each in case.sql.projections]


def _reads_birth(columns: tuple[Column, ...]) -> bool:
    return any(not _BIRTH.isdisjoint(identifier_words(column.name)) for column in columns)


def years_by_calendar(case: Case) -> Finding | None:
    """An age or a number of full years is asked for, and the SQL subtracts the numbers of the years.

    Born in December 2000, one is 17 for most of 2018. DATEDIFF by years also counts how often New Year came. Nor is the
    age at an earlier event the one of today.

    >>> years_by_calendar(case("Pilots who are 18 or older", "SELECT name FROM pilots "
    ...     "WHERE YEAR(CURRENT_DATE) - YEAR(born_on) >= 18")).detail
    'YEAR(CURRENT_DATE) - YEAR('
    """
    today = _age_today(case)
    if today is not None:
        return Finding(1.0, today)
    born = _BY_BIRTH.search(case.written)
    if born is not None and _CORRECTED_AGE.search(case.written) is None:
        return Finding(1.0, born.group())
    found = _BY_CALENDAR.search(case.written) if _AGES.search(said(case)) else None
    return Finding(1.0, found.group()) if found is not None and not _CORRECTED.search(case.written) else None


_OLDEST = cue("oldest longest", r"\b(?:oldest|longest[- ](?:open|waiting|running|standing|outstanding))\b")
_NEWEST = cue("newest youngest", r"\b(?:newest|youngest)\b")
_SINCE_THEN = lazy(
    r"^(?:\w+\()?(?:current_date|current_timestamp|now\(\)|sysdate|curdate\(\)|today\(\))[^-]{0,20} - [a-z_.]+",
    re.IGNORECASE,
)


def age_of_other_end(case: Case) -> str | None:
    """The age of the oldest is asked for, and the smallest age comes, or the other way round.

    >>> age_of_other_end(case("How old is the oldest open claim, in days?",
    ...     "SELECT MIN(CURRENT_DATE - made_on) FROM claims WHERE state = 'open'"))
    'MIN(current_date - made_on) for the oldest'
    """
    oldest, newest = _OLDEST.search(case.asked), _NEWEST.search(case.asked)
    if (oldest is None) is (newest is None):
        return None
    func = "MIN" if oldest is not None else "MAX"
    for each in case.sql.aggregations:
        if each.func == func and _SINCE_THEN.search(each.column) is not None:
            return f"{func}({each.column}) for the {'oldest' if oldest is not None else 'newest'}"
    return None
