"""Signals about a column of the opposite kind, and about years and months that are taken for others."""

from __future__ import annotations

import re

from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.wording import asked, cue, said, said_stems, shapes
from scoring.specification.shapes import ShapeKind
from scoring.values import TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_OPPOSITES = (
    ("net", "gross"),
    ("list", "net sale discounted"),
    ("actual", "planned scheduled budget budgeted estimated expected forecast target"),
    ("planned scheduled budgeted estimated expected", "actual"),
    ("billing", "shipping delivery"),
    ("shipping delivery", "billing"),
    ("home", "away"),
    ("sender", "receiver recipient"),
    ("origin departure source", "destination arrival target"),
    ("destination arrival", "origin departure source"),
    ("buyer", "seller"),
    ("debit", "credit"),
    ("selling retail sale", "purchase cost buying"),
    ("purchase buying", "selling retail sale"),
    ("current", "previous original initial old"),
    ("original initial previous", "current new"),
    ("opening", "closing"),
    ("permanent", "temporary"),
    ("inbound incoming", "outbound outgoing"),
)
_PAIRS = [
    (frozenset(map(stem, said_.split())), frozenset(map(stem, read.split())))
    for one, other in _OPPOSITES
    for said_, read in ((one, other), (other, one))
]
_KINDS = frozenset[str]().union(*(other for _, other in _PAIRS))


def column_of_opposite_kind(case: Case) -> Finding | None:
    """A word of the question says which of two columns is meant, and the SQL reads the other one.

    Net is not gross, and what was planned is not what was.

    >>> column_of_opposite_kind(case("What is the net weight of all parcels?",
    ...     "SELECT SUM(gross_weight) FROM parcels")).detail
    'expected → actual: net → gross_weight'
    """
    read = {word for column in case.sql.columns for word in identifier_words(column.name)}
    if _KINDS.isdisjoint(read):
        return None
    stems = case.question.stems
    pairs = [pair for pair in _PAIRS if not pair[0].isdisjoint(stems) and pair[0].isdisjoint(read)]
    spoken = said_stems(case) if pairs else set[str]()
    for wanted, other in pairs:
        odd = _column_of(other, spoken, case) if other.isdisjoint(spoken) else None
        if odd is not None:
            return differing(min(wanted & stems), odd)
    return None


def _column_of(kind: frozenset[str], spoken: set[str], case: Case) -> str | None:
    """The first column of a kind whose other words are spoken: `gross_weight` for a weight."""
    for name in sorted({column.name for column in case.sql.columns}):
        words = set(identifier_words(name))
        if kind & words and not spoken.isdisjoint(words - kind):
            return name
    return None


_FISCAL = cue("fiscal financial fy", r"\b(?:fiscal|financial) (?:year|quarter)|\bfy ?\d{2,4}\b")
_BEGINS = re.compile(
    r"\b(?:start|begin|run)(?:s|ning|ting)? (?:on |in |from )?(?:the )?(?:1(?:st)? )?"
    r"(?:feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b"
)


def fiscal_year_as_calendar(case: Case) -> Finding | None:
    """A fiscal year is asked for that does not begin in January, and the SQL takes the calendar year.

    >>> fiscal_year_as_calendar(case("Trips in fiscal year 2020 (it starts in July)",
    ...     "SELECT COUNT(*) FROM trips WHERE began_at >= '2020-01-01' AND began_at < '2021-01-01'")).detail
    'began_at within [2020-01-01, 2021-01-01)'
    """
    if not _FISCAL.search(said(case)) or not _BEGINS.search(said(case)):
        return None
    for each in case.sql.filters:
        if isinstance(each.rhs, TimeRange) and re.fullmatch(r"\[\d{4}-01-01, \d{4}-01-01\)", str(each.rhs)):
            return Finding(1.0, each.text)
    return None


_MONTHLY = re.compile(r"\b(?:per|by|each|every) month\b|\bmonthly\b|\bmonth (?:by|over|on) month\b")
_OF_YEAR = re.compile(
    r"\b(?:calendar month|month of (?:the )?year|season\w*|across (?:all )?years|regardless|month name)\b"
)


def months_of_years_merged(case: Case) -> Finding | None:
    """A value for each month is asked for, and the same month of all years is one group.

    Half strength, as the table may hold one year.

    >>> months_of_years_merged(case("Trips per month",
    ...     "SELECT EXTRACT(MONTH FROM began_at), COUNT(*) FROM trips GROUP BY 1")).strength
    0.5
    """
    text = said(case)
    groups = shapes(case, ShapeKind.GRAIN)
    if len(groups) != 1 or not _MONTHLY.search(asked(case)) or _OF_YEAR.search(text):
        return None
    if groups[0].words != ("month", "part") or case.question.time_ranges or re.search(r"\b(?:19|20)\d\d\b", text):
        return None
    timed = any(isinstance(each.rhs, TimeRange) or "within" in each.text for each in case.sql.filters)
    yearly = any("year" in identifier_words(column.name) for column in case.sql.columns)
    return None if timed or yearly else Finding(0.5, groups[0].text)
