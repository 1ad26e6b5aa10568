"""The signal about conditions that the question joins by `and` or `or`, and the SQL by the other one."""

from __future__ import annotations

from itertools import pairwise

from scoring.display import show_filter
from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.specification import FilterOrigin, Op, SqlFilter
from scoring.values import Choices, Text, Value
from scoring.verdict import Case

_OR = lazy(r"\bor\b")
_AND = lazy(r"\band\b")


def connective_changed(case: Case) -> Finding | None:
    """Two conditions that the question joins by `or` are ANDed, or those it joins by `and` are ORed.

    Too few or too many rows come back. Only conditions on different columns count: `Lisbon and Porto` means either.

    >>> connective_changed(case("Parcels from 'Faro' or with a weight over 20",
    ...     "SELECT id FROM parcels WHERE origin = 'Faro' AND weight > 20")).detail
    "expected → actual: OR → AND: origin = 'faro'; weight > 20"
    """
    met = [match for match in case.filters.matched if match.present and match.required.source is FilterOrigin.QUESTION]
    met.sort(key=lambda match: match.required.start)
    for one, other in pairwise(met):
        between = case.question.text[one.required.start + len(one.required.span) : other.required.start].lower()
        changed = None if _is_of_list(between, case) else _changed(between, one.present[0], other.present[0])
        if changed is not None:
            return changed
    return None


def _is_of_list(between: str, case: Case) -> bool:
    """Whether the connective stands between members of a list that the SQL has: `on apple or spotify`."""
    lists = [each.rhs.members for each in case.sql.filters if each.op is Op.IN and isinstance(each.rhs, Choices)]
    return any(sum(_is_named_in(value, between) for value in members) > 1 for members in lists)


def _is_named_in(value: Value, between: str) -> bool:
    return isinstance(value, Text) and any(word in between for word in content_words(value.folded))


def _changed(between: str, left: SqlFilter, right: SqlFilter) -> Finding | None:
    """The connective that stands between two conditions, where the SQL joins them by the other one."""
    if left.block != right.block or left == right or len(between) > _NEAR_BY or _alike(left, right):
        return None
    ored = left.alternative is not None and left.alternative == right.alternative
    asked_or = _OR.search(between) is not None
    if asked_or and _joins_others(left, right):
        return None
    if asked_or is ored or not (asked_or or _AND.search(between)):
        return None
    expected, actual = ("OR", "AND") if asked_or else ("AND", "OR")
    return differing(expected, f"{actual}: {show_filter(left)}; {show_filter(right)}")


def _joins_others(left: SqlFilter, right: SqlFilter) -> bool:
    """Whether `or` joins other things: `failed visa or mastercard`, `this month that were pushed or crossed`."""
    return isinstance(left.rhs, Choices) or isinstance(right.rhs, Choices) or right.alternative is not None


_NEAR_BY = 40
"""Most characters between two conditions that one connective can join."""


def _alike(left: SqlFilter, right: SqlFilter) -> bool:
    """Two values of one column: `Lisbon and Porto` means either."""
    return left.lhs is None or right.lhs is None or left.lhs.name == right.lhs.name
