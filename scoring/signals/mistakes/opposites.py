"""Signals about a column of the opposite kind, and about years and months that are taken for others."""

from __future__ import annotations

import re

from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.wording import asked, said, shapes
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


def column_of_opposite_kind(case: Case) -> Finding | None:
    """A word of the question says which of two columns is meant, and the SQL reads the other one.

    Net is not gross, and what was planned is not what was.

    >>> column_of_opposite_kind(case("What is the net weight of all parcels?",
    ...     "SELECT SUM(gross_weight) FROM parcels")).detail
    'expected → actual: net → gross_weight'
    """
    spoken = {stem(word) for word in re.findall(r"[a-z]+", said(case))}
    columns = {column.name: set(identifier_words(column.name)) for column in case.sql.columns}
    for wanted, other in _PAIRS:
        word = next(iter(sorted(wanted & case.question.stems)), None)
        if word is None or other & spoken or any(wanted & words for words in columns.values()):
            continue
        odd = next(
            (name for name, words in sorted(columns.items()) if other & words and _is_of_same(words - other, spoken)),
            None,
        )
        if odd is not None:
            return differing(word, odd)
    return _side_of_other(columns, spoken, case)


_SIDES = (
    (
        re.compile(r"\b(?:received|receive|incoming|inbound)\b(?! from)"),
        frozenset("callee receiver recipient payee to".split()),
        frozenset("caller sender payer".split()),
    ),
    (
        re.compile(r"(?<!was )(?<!were )(?<!been )\b(?:made|placed|sent|outgoing|outbound|initiated)\b(?! to)"),
        frozenset("caller sender payer initiator from".split()),
        frozenset("callee receiver recipient payee".split()),
    ),
)
"""What the question says, words of columns that it means, and words of those that it does not."""


def _side_of_other(columns: dict[str, set[str]], spoken: set[str], case: Case) -> Finding | None:
    """Who received something is looked for among those who sent it, or the other way round."""
    read = {name: set(name.split("_")) | words for name, words in columns.items()}
    for pattern, wanted, odd in _SIDES:
        match = pattern.search(asked(case))
        if match is None or odd & spoken or any(words & wanted for words in read.values()):
            continue
        name = next((name for name, words in sorted(read.items()) if words & odd), None)
        if name is not None:
            return differing(match.group(), name)
    return None


def _is_of_same(rest: set[str], spoken: set[str]) -> bool:
    """Whether the other words of a column are spoken: `gross_weight` for a weight."""
    return bool(rest) and not rest.isdisjoint(spoken)


_FISCAL = re.compile(r"\b(?:fiscal|financial) (?:year|quarter)|\bfy ?\d{2,4}\b")
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
    groups = list(shapes(case, ShapeKind.GRAIN))
    if not _MONTHLY.search(asked(case)) or _OF_YEAR.search(text) or len(groups) != 1:
        return None
    if groups[0].words != ("month", "part") or case.question.time_ranges or re.search(r"\b(?:19|20)\d\d\b", text):
        return None
    timed = any(isinstance(each.rhs, TimeRange) or "within" in each.text for each in case.sql.filters)
    yearly = any("year" in identifier_words(column.name) for column in case.sql.columns)
    return None if timed or yearly else Finding(0.5, groups[0].text)
