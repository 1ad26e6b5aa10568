"""Signals about a group that is asked for, and that the answer or a join of it has not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.other_rows import namesakes_merged, people_merged
from scoring.signals.mistakes.unmet.ratios.averages import is_calendar
from scoring.signals.mistakes.wording import asked, cue, first
from scoring.specification import Clause, Column, Join, Op, Operand
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems
from scoring.values import Choices, Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_BY_TWO = lazy(
    r"\b(?:by|per|split by) (?:age )?([a-z]+) (?:and|&|\+) (?:by |per )?"
    r"(?!how\b|what\b|which\b|who\b|when\b|where\b|the\b|show\b|their\b|its\b|also\b|number\b|count\b)([a-z]+)\b"
    r"(?! (?:and|number|total|average|count|over|under|above|below|more|less|older|since|in|at|is)\b)"
)


_AMOUNTS = frozenset(
    "hrs hours mins minutes revenue sales turnover income cost costs spend spending profit margin budget fees units qty"
    " quantity volume weight kwh km miles".split()
)
"""Second amounts that are asked for, and no groups: `budget per department and hours booked to it`."""
_PERIODS = frozenset("day week month quarter year hour weekday date".split())
_BRACKETS = lazy(r" ?\([^()]*\)")


def group_left_out(case: Case) -> Finding | None:
    """Two groupings are asked for, and the answer has one of them.

    `by base and rank` has a row for each rank of each base. Nor has a CASE a group for a WHEN that is never reached.
    A doubt where people are grouped by their names alone.

    >>> group_left_out(case("Average pay by base and rank", "SELECT base, AVG(pay) FROM pilots GROUP BY base")).detail
    'no group for each rank'
    """
    unreached = first(case, ShapeKind.UNREACHED)
    if unreached is not None:
        return Finding(1.0, f"{unreached.text} is never reached")
    merged = namesakes_merged(case)
    if merged is not None:
        return Finding(1.0, merged)
    left_out = second_group_left_out(case) or thing_of_period_left_out(case) or kinds_merged(case)
    if left_out is not None:
        return Finding(1.0, f"no group for each {left_out}")
    people = people_merged(case)
    return Finding(0.15, people) if people is not None else None


def second_group_left_out(case: Case) -> str | None:
    """The second of two groupings that are asked for, where the answer has only the first."""
    found = _BY_TWO.search(_BRACKETS.sub("", asked(case)))
    keys = [key.operand for key in case.sql.group_by if key.block in case.sql.outputs]
    if found is None or not keys or case.sql.windows or found[2] in _AMOUNTS:
        return None
    if not _is_asked(found[1], found[2], keys, case):
        return None
    return None if stem(found[2]) in _words_read(case) - _only_counted(case) else found[2]


_PERIOD = r"(?:wks?|weeks?|mths?|mnths?|months?|days?|qtrs?|quarters?|yrs?|years?|hrs?|hours?)"
_PER_PERIOD = cue(
    "per by each",
    rf"\b(?:per|by|each) (?!{_PERIOD}\b)([a-z]+),? (?:and )?(?:per|by|each|every|a) {_PERIOD}\b(?! of\b)"
    rf"|\b(?:per|by|each) {_PERIOD},? (?:and )?(?:per|by|for each) (?!{_PERIOD}\b)([a-z]+)\b"
    rf"|\b(?:hour|dai|week|month|quarter)ly [a-z]+(?: [a-z]+)? (?:per|by|for each) (?!{_PERIOD}\b)([a-z]+)\b",
)
_AVERAGE = lazy(r"\b(?:average|avg|mean|median|typical|rate|ratio|share)\b|%")


def thing_of_period_left_out(case: Case) -> str | None:
    """A value of each thing in each period is asked for, and the answer has one of each period for all things.

    >>> thing_of_period_left_out(case("fares per pilot per wk", "SELECT date_trunc('week', day) AS wk, COUNT(DISTINCT "
    ...     "pilot_id), SUM(fare) FROM trips GROUP BY 1"))
    'pilot'
    """
    found = _PER_PERIOD.search(case.asked)
    keys = [key.operand for key in case.sql.group_by if key.block in case.sql.outputs] if found is not None else []
    if found is None or not keys or not all(map(is_calendar, keys)) or _AVERAGE.search(case.asked) is not None:
        return None
    thing = next(filter(None, found.groups()))
    return None if _sets_apart(case) or stem(thing) in _words_shown_or_tested(case) | _GENERAL else thing


def _sets_apart(case: Case) -> bool:
    """Whether something may give a value of each thing in another way: a division, a window, a column for each."""
    sql = case.sql
    if sql.divisions or sql.windows or sql.set_operations:
        return True
    return any(each.conditional or each.star or each.subqueries for each in case.answer)


def _words_shown_or_tested(case: Case) -> set[str]:
    """The words of columns that the answer shows as they are, and of those that a condition tests."""
    plain = [each for each in case.answer if each.operand.func is None]
    names = {each.alias or "" for each in plain}
    names |= {column.name for each in plain for column in each.operand.columns}
    names |= {column.name for each in case.sql.filters if each.lhs is not None for column in each.lhs.columns}
    return {word for name in names for word in identifier_words(name)}


_GENERAL = frozenset(map(stem, "the our total type kind category date time all each other".split()))


_SIDES = cue(
    "vs versus compared",
    r"\b(?P<n>\d+) ?-?(?P<unit>[a-z]+?)s? (?:vs\.?|versus|compared (?:to|with)) (?P<m>\d+) ?-?(?P=unit)s?\b"
    r"|\b(?P<one>[a-z]{3,})(?: \w+)? (?:vs\.?|versus|compared (?:to|with)) (?P<other>[a-z]{3,})\b",
)


def kinds_merged(case: Case) -> str | None:
    """Two kinds are to be set beside each other, and the answer has one value of both together.

    >>> kinds_merged(case("Average fee by base, 1 seat vs 2 seats", "SELECT base, AVG(fee) FROM planes WHERE seats IN "
    ...     "(1, 2) GROUP BY base"))
    '1 seat vs 2 seats'
    """
    found = _SIDES.search(case.asked)
    if found is None or not case.sql.aggregations or _sets_apart(case) or _groups_unspoken(case):
        return None
    column = _column_of_both(found, case)
    told = {word for name in _told(case) for word in identifier_words(name)}
    return found.group() if column is not None and told.isdisjoint(identifier_words(column)) else None


def _told(case: Case) -> list[str]:
    """What rows are grouped by, counted by a condition on, or shown as."""
    names = [key.operand.name for key in case.sql.group_by]
    names += [each.operand.name for each in case.answer if each.operand.func is None]
    return names + [column.name for each in case.sql.aggregations if each.conditional for column in each.columns]


def _groups_unspoken(case: Case) -> bool:
    """Whether rows are grouped by what the question does not speak of, which may tell the kinds apart."""
    keys = [key.operand for key in case.sql.group_by]
    return any(not is_calendar(key) and case.question.stems.isdisjoint(identifier_words(key.name)) for key in keys)


def _column_of_both(found: re.Match[str], case: Case) -> str | None:
    """The column that WHERE keeps both values of."""
    wanted = {found["n"], found["m"]} if found["n"] else {found["one"], found["other"]}
    kept: dict[str, set[str]] = {}
    for each in case.sql.filters:
        plain = each.clause is Clause.WHERE and each.lhs is not None and each.op in (Op.IN, Op.EQ, Op.GE, Op.LE)
        if plain and each.lhs is not None:
            values = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
            kept.setdefault(each.lhs.name, set()).update(_plain(value) for value in values)
    return next((name for name, values in kept.items() if _are_both(wanted, values)), None)


def _plain(value: object) -> str:
    return f"{value.value:g}" if isinstance(value, Number) else value.folded if isinstance(value, Text) else ""


def _are_both(wanted: set[str], values: set[str]) -> bool:
    """Whether two values are the wanted ones, or begin like them: `card` and `cards`."""
    alike = all(any(word == value or (value and word[:4] == value[:4]) for value in values) for word in wanted)
    return len(wanted) == len(values) == 2 and alike


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


def _only_counted(case: Case) -> set[str]:
    """The words of the columns of which different values are counted, where nothing else reads them."""
    counted = [each.columns for each in case.sql.aggregations if each.func == "COUNT" and each.distinct]
    tested = [each.lhs.columns for each in case.sql.filters if each.lhs is not None]
    return _words_of(counted) - _words_of([*tested, *(key.operand.columns for key in case.sql.group_by)])


def _words_of(columns: Iterable[Sequence[Column]]) -> set[str]:
    return {word for several in columns for column in several for word in identifier_words(column.name)}


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
