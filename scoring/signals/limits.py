"""Signals about the number of rows."""

from __future__ import annotations

import re

from scoring.alignment.normalization import is_safety_limit
from scoring.patterns import lazy
from scoring.signals.cutting import MANY_MEANINGS, PROTECTIVE
from scoring.signals.finding import Finding, differing
from scoring.signals.order import FIRST_OF, names_column, takes_extreme
from scoring.verdict import Case

_EXTREMES = frozenset({"MAX", "MIN"})


def limit_missing(case: Case) -> Finding | None:
    """A number of first rows is asked for and the SQL returns all.

    Half strength where one thing is asked for and all come in order: the first is the answer. `Which cities have the
    highest rents` names no number, so all of them may come.

    >>> limit_missing(case("List the top 3 cities by population",
    ...     "SELECT name FROM cities ORDER BY population DESC")).detail
    'top 3'
    """
    asked = case.question.top_k
    if case.sql.limits or asked is None or any(each.func in FIRST_OF for each in case.sql.windows):
        return None
    if asked > 1:
        return None if _PERCENTILE.search(case.asked) else Finding(1.0, f"top {asked}")
    words = [each.word for each in case.question.superlatives]
    if takes_extreme(case) or MANY_MEANINGS.issuperset(words) or all(names_column(each, case) for each in words):
        return None
    return Finding(0.5 if case.sql.order_by else 1.0, f"top {asked}")


_PERCENTILE = lazy(r"\b(?:top|bottom|best|worst) \d+ ?(?:%|percent|pct)")
"""A part of the rows, which no number of rows is."""


def limit_wrong(case: Case) -> Finding | None:
    """The SQL returns another number of rows than asked for.

    Every LIMIT of the query is compared with every number of rows that the question names.

    >>> limit_wrong(case("List the top 3 cities by population",
    ...     "SELECT name FROM cities ORDER BY population DESC LIMIT 5")).detail
    'expected → actual: top 3 → LIMIT 5'
    """
    asked = _rows_named(case)
    given = {each.count for each in case.sql.limits if each.count is not None and each.count < PROTECTIVE}
    open_ended = None in {each.k for each in case.question.superlatives} and asked <= {1}
    said = {number.value for number in case.question.numbers}
    if not asked or not given or given & (asked | said) or open_ended or _is_first_of_few(asked, given, case):
        return None
    return differing(f"top {min(asked)}", f"LIMIT {min(given)}")


def _is_first_of_few(asked: set[int], given: set[int], case: Case) -> bool:
    """Whether the one that is asked for stands first of some rows in order: who has the most, and nine more."""
    return asked == {1} and _ONE.search(case.asked) is None and bool(case.sql.order_by) and min(given) <= _A_FEW


_ONE = lazy(r"\b(?:1|one|single|only|just|the (?:most|least|best|worst|top|\w+est)|top)\b")
_A_FEW = 25


def _rows_named(case: Case) -> set[int]:
    """The numbers of rows that the question names; no two that stand side by side in one row, by LAG or LEAD."""
    asked = {each.k for each in case.question.superlatives if each.k is not None}
    beside = not {"LAG", "LEAD"}.isdisjoint(each.func for each in case.sql.windows)
    return asked - {2} if beside else asked


def limit_unasked(case: Case) -> Finding | None:
    """The SQL cuts the rows below 100 though no top-k is asked for.

    Rows that belong to the answer are lost.

    >>> limit_unasked(case("List the cities", "SELECT name FROM cities LIMIT 10")).detail
    'LIMIT 10'
    """
    limit = _unasked(case)
    return None if limit is None or limit >= PROTECTIVE else Finding(1.0, f"LIMIT {limit}")


def limit_low(case: Case) -> Finding | None:
    """The SQL cuts the rows at 100 or more, below the safety limit λ_min, though no top-k is asked for.

    Tools add such a LIMIT to every query. Most reports have fewer rows. From λ_min on it is
    [excused](method.md#four-normalisation-rules).

    >>> limit_low(case("List the cities", "SELECT name FROM cities LIMIT 500")).detail
    'LIMIT 500'
    """
    limit = _unasked(case)
    return None if limit is None or limit < PROTECTIVE else Finding(1.0, f"LIMIT {limit}")


def _unasked(case: Case) -> int | None:
    """A LIMIT below λ_min that no top-k asks for and that may cut something."""
    limit = case.sql.limit
    if limit is None or limit.count is None or _asks_extreme(case) or (limit.count == 1 and _asks_one(case)):
        return None
    if is_safety_limit(limit, case.question, case.rules) or _returns_one_row(case):
        return None
    return limit.count


def _asks_extreme(case: Case) -> bool:
    formula = any(_EXTREMES & set(each.functions) for each in case.enriched.definitions)
    return bool(case.question.superlatives or case.enriched.superlatives) or formula


def _asks_one(case: Case) -> bool:
    """Whether one row may be asked for; the current one is the last of several."""
    stems = case.question.stems
    return not _EXTREME_WORDS.isdisjoint(stems) or (bool(case.sql.order_by) and "current" in stems)


def _returns_one_row(case: Case) -> bool:
    """Whether the answer is one row of aggregates, so that nothing is cut."""
    grouped = not case.sql.outputs.isdisjoint(each.block for each in case.sql.group_by)
    return not grouped and bool(case.answer) and all(each.operand.func for each in case.answer)


_EXTREME_WORDS = frozenset({"last", "first", "latest", "newest", "next", "previous", "recent"})
"""Words that one row answers although they stand beside a verb: `when did we last ship`."""


def limit_without_order(case: Case) -> Finding | None:
    """The SQL cuts rows in no order, below 100 rows.

    Which rows come back is chance.

    >>> limit_without_order(case("List the top 3 cities by population", "SELECT name FROM cities LIMIT 3")).detail
    'LIMIT 3'
    """
    ordered = {each.block for each in case.sql.order_by}
    for limit in case.sql.limits:
        if limit.ranked or limit.block in ordered or limit.count is None or limit.count >= PROTECTIVE:
            continue
        if limit.count == 1 and limit.block not in case.sql.outputs and _ASKED_WHETHER.search(case.written):
            continue
        return Finding(1.0, f"LIMIT {limit.count}")
    early = _ROWNUM.search(case.written) if case.sql.dialect == "oracle" else None
    return Finding(1.0, f"{early[1]} before ORDER BY") if early is not None else None


_ASKED_WHETHER = lazy(r"\b(?:lateral|outer\s+apply)\b.{1,400}?\bis\s+(?:not\s+)?null\b", re.IGNORECASE | re.DOTALL)
"""Of a joined row only whether there is one is asked, so which one it is makes no difference."""
_ROWNUM = lazy(r"\bwhere\b[^()]*(\brownum\s*<=?\s*\d+)[^()]*\border\s+by\b", re.IGNORECASE)
"""Oracle numbers rows before it sorts them: the condition and the order stand in one block."""
