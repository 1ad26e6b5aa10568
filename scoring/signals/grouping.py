"""Signals about groups: those asked for and not made, made and not asked for, and rows cut over all groups."""

from __future__ import annotations

import re

from scoring.alignment.outputs.periods_named import grain_asked, grain_of, period_of_each
from scoring.patterns import lazy
from scoring.signals.finding import Finding, counted
from scoring.specification import Op, Operand, SubqueryRole, Superlative
from scoring.specification.shapes import ShapeKind
from scoring.values import Text
from scoring.verdict import Case

_EACH = frozenset({"each", "per", "every"})


def grouping_missing(case: Case) -> Finding | None:
    """A value for each of several groups is asked for, and the SQL gives one for all.

    `Per`, `by`, `for each` and `split by` ask for groups, and so does a text that begins with a period (`monthly
    visits`). The best of each group is not the best of all, so a LIMIT over all rows counts, too.

    >>> grouping_missing(case("What is the average weight per route?", "SELECT AVG(weight) FROM parcels")).detail
    'no GROUP BY for: route'
    >>> grouping_missing(case("Top pilot by flights in each city",
    ...     "SELECT city, pilot FROM flights GROUP BY city, pilot ORDER BY COUNT(*) DESC LIMIT 1")).detail
    'LIMIT 1 of all rows, not of each group'
    """
    lacking = case.grouping.missing
    if lacking and not (_asks_for_one_share(case) or _is_quotient(case) or _averages_rows(case)):
        return counted(list(lacking), "no GROUP BY for", most=1)
    period = _other_period(case)
    if period is not None:
        return period
    cut = _cut_over_all(case)
    if cut is not None:
        return Finding(1.0, f"LIMIT {cut} of all rows, not of each group")
    return _one_for_all(case)


_SHARE_BY = lazy(
    r"^(?:what|which|how (?:much|many))(?:'s| is| are)? ?(?:the )?(?:%|percent\w*|share|proportion|fraction|part) of\b"
    r".{3,60}\b(?:came?|comes?|pa(?:id|y|ys)|made|sent|booked|placed|sold|delivered|handled|done|arrives?d?)"
    r" (?:in |through )?by\b"
)


def _asks_for_one_share(case: Case) -> bool:
    """Whether `by` says of what the share is: `what % of payments come in by direct debit`."""
    return _SHARE_BY.search(case.question.text.lower()) is not None and any(
        each.conditional for each in case.sql.aggregations
    )


_AVERAGE_PER = lazy(r"\b(?:average|avg|mean)\b[^?.,;]{0,60}\bper (\w+)")


def _averages_rows(case: Case) -> bool:
    """Whether `average days per injury` is the average of all rows, each of which is one: those with the code INJ."""
    match = _AVERAGE_PER.search(case.asked)
    if match is None or case.sql.joins or all(each.func != "AVG" for each in case.sql.aggregations):
        return False
    values = [each.rhs.folded for each in case.sql.filters if each.op is Op.EQ and isinstance(each.rhs, Text)]
    return any(len(value) >= _SHORTEST_CODE and match[1].startswith(value) for value in values)


_SHORTEST_CODE = 3


def _is_quotient(case: Case) -> bool:
    """Whether the one value is a total divided by another: a price per copy."""
    divided = [each for each in case.sql.divisions if "(" in each.numerator and "(" in each.denominator]
    if not divided or case.sql.group_by:
        return False
    by_heads = any("count(distinct" in each.denominator for each in divided)
    return by_heads or (len(case.answer) == 1 and _PER_ONE.search(case.asked) is not None)


_PER_ONE = lazy(r"\b(?:average|avg|mean|price|cost|value)\b[^?.,;]{0,60}\bper \w+")


def _other_period(case: Case) -> Finding | None:
    """One period is asked for and the answer is grouped by another: `per month` by days or years."""
    asked = grain_asked(case.question)
    keys = [each.name for each in grouping_keys(case)]
    grains = {name: grain for name in keys if (grain := grain_of(name)) is not None} if asked is not None else {}
    if not grains or asked in grains.values() or any(str(asked) in name for name in keys):
        return None
    if any(asked in each.words for each in case.sql.shaped.get(ShapeKind.GRAIN, ())):
        return None
    name, grain = next(iter(grains.items()))
    return Finding(1.0, f"{asked} asked for, grouped by {grain}: {name}")


def _cut_over_all(case: Case) -> int | None:
    """The LIMIT that keeps the first rows of all where the first of each group are asked for."""
    limit = case.sql.limit
    if limit is None or limit.ranked or any(each.ranked for each in case.sql.limits):
        return None
    if any(each.correlated and each.role is SubqueryRole.DERIVED for each in case.sql.subqueries):
        return None
    asked = next((each for each in case.question.superlatives if each.k == limit.count), None)
    return limit.count if asked is not None and _is_of_each(asked, case) else None


def _is_of_each(asked: Superlative, case: Case) -> bool:
    """Whether `each` follows an extreme, or `per` one that begins the text, where it is no part of a measure."""
    after = case.question.text[asked.start :].casefold()
    if _OF_EACH.search(after) is not None:
        return True
    opens = case.question.text[: asked.start].casefold().strip()
    return _PER.search(_MEAN_PER.sub(" ", after)) is not None and opens in _OPENING


_OF_EACH = lazy(
    r"\b(?:each|every) (?!other\b|one\b|of\b)\w+\b(?! (?:is |are )?(?:listed|counted|shown|once|only|appears?)\b)"
)
_MEAN_PER = lazy(r"\b(?:average|avg|mean|median)\b(?: \w+){1,3} per \w+")
"""A measure: `by average tickets per performance`."""
_PER = lazy(r"\bper (?!cent\b|capita\b|\d)\w")
_OPENING = frozenset({"", "the", "show", "show me", "list", "list the", "show the", "give me the", "find the", "our"})


def _one_for_all(case: Case) -> Finding | None:
    """One total where a text begins with a period of which each is asked for."""
    sql = case.sql
    if sql.group_by or sql.windows or sql.set_operations or len(case.answer) != 1 or case.answer[0].star:
        return None
    if case.answer[0].operand.func not in _TOTALS or sql.divisions:
        return None
    period = period_of_each(case.question)
    return Finding(0.7, f"one value for all: {period}") if period is not None else None


_TOTALS = frozenset({"COUNT", "SUM"})


def grouping_unasked(case: Case) -> Finding | None:
    """The SQL groups by something that nothing asks for.

    Groups that SQL itself demands, and columns that a filter pins to one value, are excused by the [normalisation
    rules](method.md#four-normalisation-rules). So is a key that some word of the question names.

    >>> grouping_unasked(case("What is the total weight?", "SELECT SUM(weight) FROM parcels GROUP BY route")).detail
    'grouped by: route'
    """
    return counted(list(case.grouping.extra), "grouped by", most=1)


def grouping_keys(case: Case) -> list[Operand]:
    """The keys by which the answer's rows are grouped."""
    return [each.operand for each in case.sql.group_by if each.block in case.sql.outputs]


def total_per_group(case: Case) -> Finding | None:
    """One value for all is asked for, and one for each group comes.

    Only aggregates are shown, without the group that each belongs to, or a total over a window on each row.

    >>> total_per_group(case("How many pilots made more than 5 flights?",
    ...     "SELECT COUNT(*) FROM flights GROUP BY pilot_id HAVING COUNT(*) > 5")).detail
    'count(*) by pilot_id'
    """
    sql = case.sql
    keys = [each.name for each in grouping_keys(case)]
    if sql.limits or case.question.group_by or not _EACH.isdisjoint(case.spoken):
        return None
    if not case.answer or not all(each.operand.func and each.operand.name not in keys for each in case.answer):
        return None
    if not keys:
        return _total_per_row(case)
    if _WITH_TOTAL.search(case.written) is not None:
        return None
    return Finding(1.0, f"{case.answer[0].operand.name} by {keys[0]}")


_WITH_TOTAL = lazy(r"\b(?:rollup|cube|grouping\s+sets)\b", re.IGNORECASE)
"""Groups with which the total comes, too."""


def _total_per_row(case: Case) -> Finding | None:
    """A total over a window stands on every row where one total is asked for."""
    if case.sql.distinct or not case.question.aggregations:
        return None
    names = [each.operand.name for each in case.answer]
    windowed = all(" over (" in name and _NEIGHBOURS.search(name) is None for name in names)
    return Finding(1.0, f"{names[0]} on each row") if windowed else None


_NEIGHBOURS = lazy(r"case when (?:lag|lead|row_number)\(")
"""A count of rows by what stands beside them: the window is inside."""
