"""Signals about a group that is asked for, and that the answer or a join of it has not."""

from __future__ import annotations

from collections.abc import Set

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.wording import asked, first
from scoring.specification import Column, Join, Operand
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_BY_TWO = lazy(
    r"\b(?:by|per|split by) (?:age )?([a-z]+) (?:and|&|\+) (?:by |per )?"
    r"(?!how\b|what\b|which\b|who\b|when\b|where\b|the\b|show\b|their\b|its\b|also\b|number\b|count\b)([a-z]+)\b"
    r"(?! (?:and|number|total|average|count|over|under|above|below|more|less|older|since|in|at|is)\b)"
)


_PERIODS = frozenset("day week month quarter year hour weekday date".split())
_BRACKETS = lazy(r" ?\([^()]*\)")


def group_left_out(case: Case) -> Finding | None:
    """Two groupings are asked for, and the answer has one of them.

    `by base and rank` has a row for each rank of each base. Nor has a CASE a group for a WHEN that is never reached.

    >>> group_left_out(case("Average pay by base and rank", "SELECT base, AVG(pay) FROM pilots GROUP BY base")).detail
    'no group for each rank'
    """
    unreached = first(case, ShapeKind.UNREACHED)
    if unreached is not None:
        return Finding(1.0, f"{unreached.text} is never reached")
    left_out = second_group_left_out(case)
    return None if left_out is None else Finding(1.0, f"no group for each {left_out}")


def second_group_left_out(case: Case) -> str | None:
    """The second of two groupings that are asked for, where the answer has only the first."""
    found = _BY_TWO.search(_BRACKETS.sub("", asked(case)))
    keys = [key.operand for key in case.sql.group_by if key.block in case.sql.outputs]
    if found is None or not keys or case.sql.windows:
        return None
    if not _is_asked(found[1], found[2], keys, case):
        return None
    return None if stem(found[2]) in _words_read(case) else found[2]


def _is_asked(one: str, other: str, keys: list[Operand], case: Case) -> bool:
    """Whether the question groups by both words, and the SQL by the first one."""
    read = {one, other} <= set(case.question.group_by)
    named = any(stem(one) in identifier_words(column.name) for key in keys for column in key.columns)
    if len(keys) > 1 and (not named or other in _PERIODS):
        return False
    return read or (named and not case.question.group_by)


def _chosen(case: Case) -> set[str]:
    """The columns of which the answer shows one value of several, and what it calls them."""
    found = [each for each in case.answer if each.operand.func in _ANY]
    return {name for each in found for name in (each.alias or "", *(column.name for column in each.operand.columns))}


_ANY = frozenset({"ANY_VALUE", "MIN", "MAX"})
"""What shows one value of several."""


def _words_read(case: Case) -> set[str]:
    """The words of all names in the SQL."""
    names = {column.name for column in case.sql.columns} | {each.alias or "" for each in case.sql.projections}
    names -= _chosen(case)
    names |= {table for block in case.sql.blocks for table in block.tables}
    return {word for name in names for word in identifier_words(name)}


def joined_by_extreme(case: Case) -> Finding | None:
    """The extremes of groups are joined by their value alone, and not by the group.

    >>> joined_by_extreme(case("Cheapest trip of each route", "SELECT t.id FROM trips t JOIN (SELECT route, "
    ...     "MIN(fare) AS low FROM trips GROUP BY route) m ON m.low = t.fare")).detail
    'fare of any route'
    """
    ends = [each for each in case.sql.aggregations if each.func in ("MAX", "MIN")]
    extremes = {(each.block, column) for each in ends for column in each.columns}
    for join in case.sql.joins if ends else ():
        keys = _untested_keys(join.table, case)
        if keys and _is_by(extremes, join):
            return Finding(1.0, f"{', '.join(sorted({pair[0].name for pair in join.pairs}))} of any {', '.join(keys)}")
    return None


def _is_by(extremes: Set[tuple[str, Column]], join: Join) -> bool:
    """Whether only extremes of the block are joined, each with equal values; the greatest key is of one row alone."""
    joined = {(join.table, column) for pair in join.pairs for column in pair}
    unlike = not any(is_own_key(column) or key_stems(column.name) for _, column in joined)
    return join.kind == "inner" and not join.bound and unlike and bool(joined) and joined <= extremes


def _untested_keys(block: str, case: Case) -> list[str]:
    """The columns by which a block groups; none where a condition is on one of them."""
    keys = {column.name for key in case.sql.group_by if key.block == block for column in key.operand.columns}
    tested = {column.name for each in case.sql.filters if each.lhs is not None for column in each.lhs.columns}
    return sorted(keys) if keys.isdisjoint(tested) else []
