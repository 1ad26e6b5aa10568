"""Signals about values that are missing: counted as zero, or as without an end, where a text says so."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.kept import (
    average_of_partners,
    average_of_present,
    missing_averaged,
    taken_off_if_any,
)
from scoring.signals.mistakes.wording import cue, first, said
from scoring.specification import Op, SqlFilter
from scoring.specification.shapes import ShapeKind
from scoring.values import RelativeTime, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words

_FILLED = frozenset({"COALESCE", "IFNULL", "NVL", "ISNULL", "NVL2", "ZEROIFNULL"})
_AS_ZERO = cue(
    "zero 0",
    r"\b(?:null|empty|blank|missing|unset|without|w/o|no)\b[^.;\n]{0,60}\b(?:as|is|are|means?|counts? for"
    r"|=) ?(?:a )?(?:0|zero)\b"
    r"|\b(?:counting|count|treat\w*|taking) (?:a |an )?(?:null|empty|blank|missing)\b[^.;\n]{0,40}\b(?:as"
    r"|for) (?:0|zero)\b",
)
_EMPTY = cue("empty null blank missing optional", r"\b(?:empty|null|blank|missing|optional)\b")
_ADDED = lazy(r"\bsum\s*\(\s*(?:\w+\.)?\w+\s*[-+]\s*(?:\w+\.)?\w+\s*\)", re.IGNORECASE)


_FILLED_LATE = lazy(r"\b(?:coalesce|ifnull|isnull|nvl)\s*\(\s*(?:round\s*\(\s*)?avg\s*\(", re.IGNORECASE)
"""A zero in place of the average, which has skipped the rows without a value."""


def null_not_zero(case: Case) -> Finding | None:
    """Missing values are to count as zero, and the SQL leaves their rows out.

    AVG skips NULL, and a sum of `a + b` skips a row where either is NULL. COALESCE gives both a zero. Nor has a day
    without rows a group of its own.

    >>> null_not_zero(case("Average tip per trip, where a missing tip counts as 0",
    ...     "SELECT AVG(tip) FROM trips")).detail
    'AVG(tip)'
    """
    if any(each.op is Op.NOT_NULL for each in case.sql.filters):
        return None
    present = average_of_present(case) or taken_off_if_any(case)
    if present is not None:
        return Finding(1.0, present)
    zero = _AS_ZERO.search(said(case)) is not None
    partners = average_of_partners(case) if zero else None
    if partners is not None:
        return Finding(1.0, partners)
    if _FILLED & case.sql.functions and _FILLED_LATE.search(case.written) is None:
        return None
    odd = _plain_average(case) if zero else None
    if odd is not None:
        return Finding(1.0, odd)
    found = _ADDED.search(case.written) if _EMPTY.search(said(case)) else None
    return Finding(1.0, found.group()) if found is not None else None


def _plain_average(case: Case) -> str | None:
    """AVG of one column of one table, if some is taken."""
    plain = (each for each in case.sql.aggregations if each.func == "AVG" and len(each.columns) == 1)
    odd = next((each for each in plain if each.column == each.columns[0].name), None)
    outer = any(each.kind != "inner" for each in case.sql.joins)
    return f"AVG({odd.column})" if odd is not None and not outer else None


_OPEN_ENDED = cue(
    "empty null blank no without open",
    r"\b(?:empty|null|blank|unset)\b[^.;\n]{0,30}\b(?:or|if|when|while|=|means?|for)\b|\bno end(?: date)?\b"
    r"|\bwithout (?:an )?end\b"
    r"|\bopen[- ]ended\b|\b(?:or|is|are|left) (?:still )?(?:empty|null|blank)\b",
)
_ENDS = frozenset(
    "to end until till thru through expiry expires expired ended left termination leaving terminated closed".split()
)


def open_end_lost(case: Case) -> Finding | None:
    """What has no end goes on, and a bound on its end drops it.

    `valid_to >= '2020-05-01'` is not true where valid_to is NULL.

    >>> open_end_lost(case("Routes valid on 1 May 2020 (no end date = still valid)", "SELECT id FROM routes WHERE "
    ...     "valid_from <= '2020-05-01' AND valid_to >= '2020-05-01'")).detail
    'valid_to within [2020-05-01, )'
    """
    bounds = [each for each in case.sql.filters if _goes_on(each)]
    if not bounds or _FILLED & case.sql.functions or not _OPEN_ENDED.search(said(case)):
        return None
    nulls = any(each.op is Op.IS_NULL for each in case.sql.filters)
    return None if nulls or " case " in f" {case.written.casefold()} " else Finding(1.0, bounds[0].text)


def _goes_on(each: SqlFilter) -> bool:
    """Whether a filter keeps what ends after a time."""
    columns = each.lhs.columns if each.lhs is not None else ()
    if len(columns) != 1 or each.alternative is not None or not isinstance(each.rhs, (TimeRange, RelativeTime)):
        return False
    words = {*columns[0].name.lower().split("_"), *identifier_words(columns[0].name)}
    return each.rhs.end is None and each.rhs.start is not None and not words.isdisjoint(_ENDS)


_HAVING_VALUE = lazy(
    r"\b(?:that|which|who) (?:have|has|had|received|got) an? \w+|\bwith an? \w+_\w+|\bnot null\b"
    r"|\bonly \w+ (?:with|that)\b|\bis null (?:when|if|where|until)\b"
)


def null_averaged(case: Case) -> Finding | None:
    """Only things that have a value are to be averaged, and something stands for the value of the others.

    A repair that has not ended counts as one of no length, or as one that ends now.

    >>> null_averaged(case("How long do repairs take?", "SELECT AVG(COALESCE(days, 0)) FROM repairs",
    ...     "Average of days over repairs that have a days value")).detail
    'AVG(COALESCE(days, 0))'
    """
    skipped = missing_averaged(case)
    if skipped is not None:
        return Finding(1.0, skipped)
    found = first(case, ShapeKind.FILLED)
    text = (case.query.enriched_question or "").casefold()
    wanted = found is not None and (_HAVING_VALUE.search(text) or _LEFT_OUT.search(said(case)))
    return Finding(1.0, found.text) if found is not None and wanted else None


_LEFT_OUT = lazy(
    r"\bonly (?:from|for|of|over|among|count) (?:the |those )?(?:\w+ )?(?:who|that|which|with)\b"
    r"|\bonly (?:the |those )?\w+ (?:that|which|who) (?:got|get|were|was|are|have|had|received)\b"
    r"|\b(?:without (?:an? )?\w+|nulls?|missing|blanks?|empty)\b[^.;]{0,20}\b(?:not (?:be )?count\w*|ignored"
    r"|excluded|left out"
    r"|skipped)\b|\b(?:ignor\w+|exclud\w+|skip\w*|leav\w+ out|not counting) (?:the )?(?:nulls?|missing|empty"
    r"|blanks?|unrated"
    r"|(?:those|ones|\w+s) (?:without|with no))\b"
)
