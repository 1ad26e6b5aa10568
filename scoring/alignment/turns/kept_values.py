"""Whether a follow-up's answer keeps an old value beside the new one, or moves what a bound is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoring.alignment.turns.inherited_times import TIMES
from scoring.alignment.turns.kept_groups import are_alike
from scoring.patterns import lazy
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.question.follow_ups.evidence import likely, stems, texts
from scoring.specification import Clause, Column, Op, QuestionFilter, SqlFilter, SqlSpec
from scoring.values import Choices, Expression, Number, TimeRange, intersect

_REPLACING = frozenset({ChangeKind.THING, ChangeKind.PLACE})
_ADDING = lazy(
    r"\b(?:also|too|as well|both|add|adding|plus|includ\w*|together|combined|all|either|any|or|compar\w*|vs\.?|versus"
    r"|next to|beside|besides|alongside|side by side|with|on top|extra|back|more)\b",
    re.IGNORECASE,
)
"""Words that may put a value beside the old one."""


def values_beside(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The old values that the answer keeps beside new ones, although the follow-up replaces them.

    `what about retail` after sales to trade is about retail alone. An answer that tells the values apart may have both.
    """
    before = asked.before
    if before is None or asked.is_open or not asked.free & _REPLACING or _ADDING.search(asked.fragment):
        return []
    apart = _shown_columns(sql)
    return [
        f"{old.text or old.rhs}"
        for old in before.filters
        if not _columns(old) & apart and any(_widens(new, old, asked) for new in sql.filters)
    ]


def _widens(new: SqlFilter, old: SqlFilter, asked: FollowUp) -> bool:
    """Whether a condition has the values of an old one and others that the follow-up names."""
    if not _columns(old) or _columns(new) != _columns(old) or not {new.op, old.op} <= _CHOOSING:
        return False
    mine, theirs = _members(new), _members(old)
    if not theirs < mine:
        return False
    said = stems(asked.fragment)
    named = [value for value in texts(new) if value not in set(texts(old))]
    return not named or bool(asked.dropped) or any(likely(said, stems(value)) for value in named)


def unreplaced_values(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The old values in whose place the follow-up puts new ones, where the answer has neither.

    `same for android` after players on iOS is not about players on any platform.
    """
    before = asked.before
    if before is None or asked.is_open or ChangeKind.THING not in asked.free or not asked.dropped:
        return []
    if _texts(sql) - _texts(before):
        return []
    used = _shown_columns(sql).union(*map(_columns, sql.filters))
    gone = [each for each in before.filters if _columns(each) and not _columns(each) & used]
    return [each.text for each in gone if any(stems(value) & asked.dropped for value in texts(each))]


def _texts(spec: SqlSpec) -> set[str]:
    return {value for each in spec.filters for value in texts(each)}


def _shown_columns(sql: SqlSpec) -> set[str]:
    """The columns that tell the values of an answer apart."""
    return {column.name for each in (*sql.group_by, *sql.projections) for column in each.operand.columns}


def times_beside(asked: FollowUp, sql: SqlSpec, unmet: Sequence[QuestionFilter]) -> list[str]:
    """The old times that the answer still covers, where it does not select the new one that the follow-up asks for."""
    before = asked.before
    new = [each for each in unmet if isinstance(each.rhs, TIMES)]
    if before is None or not new or ChangeKind.PLACE not in asked.free or _ADDING.search(asked.fragment):
        return []
    return [each.text for each in before.filters if any(_covers(other, each) for other in sql.filters)]


def uncovered_times(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The old times that the answer does not cover, where the follow-up adds another one to them: `and August too`."""
    before = asked.before
    if before is None or asked.is_open or ChangeKind.SPAN not in asked.free:
        return []
    old = [each for each in before.filters if isinstance(each.rhs, TimeRange)]
    return [each.text for each in old if not any(_covers(new, each) for new in sql.filters)]


def _covers(new: SqlFilter, old: SqlFilter) -> bool:
    """Whether a range of times holds an old one."""
    theirs = old.rhs
    if not isinstance(theirs, TimeRange) or _columns(new) != _columns(old):
        return False
    return any(isinstance(mine, TimeRange) and intersect(mine, theirs) == theirs for mine in _members(new))


def unadded_values(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The old values in whose place the answer puts a new one that the follow-up adds: `also York`."""
    before = asked.before
    if before is None or asked.instead or ADDED.search(asked.fragment) is None:
        return []
    return [old.text for old in before.filters if _is_exchanged(old, asked.fragment, sql)]


def _is_exchanged(old: SqlFilter, fragment: str, sql: SqlSpec) -> bool:
    """Whether the answer compares a column with values that the fragment names, and with no old one any more."""
    new = [each for each in sql.filters if _columns(each) == _columns(old) and {each.op, old.op} <= _CHOOSING]
    kept = {value for each in new for value in _spelled(each)}
    said = stems(fragment) | set(re.findall(r"\d+", fragment))
    return bool(kept) and kept.isdisjoint(_spelled(old)) and any(said & (stems(value) | {value}) for value in kept)


def _spelled(each: SqlFilter) -> list[str]:
    """The texts and numbers that a condition compares with."""
    return [*texts(each), *(f"{member.value:g}" for member in _members(each) if isinstance(member, Number))]


def bounded_rows(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The bounds on single rows where `only those above 100` is about the totals that the SQL before shows."""
    before = asked.before
    if before is None or _BOUNDED.search(asked.fragment) is None or not before.group_by:
        return []
    known = {each.text for each in before.filters}
    measures = [frozenset(column.name for column in each.columns) for each in before.aggregations if each.columns]
    return [
        each.text for each in sql.filters if each.text not in known and _is_of_rows(each) and _columns(each) in measures
    ]


def _is_of_rows(each: SqlFilter) -> bool:
    return isinstance(each.rhs, Number) and each.lhs is not None and not each.lhs.func and each.clause is Clause.WHERE


_BOUNDED = lazy(
    r"\b(?:anything|everything|everyone|those|ones)\b(?: \w+){0,2} (?:over|above|under|below|more than|less than"
    r"|fewer than|at least|at most)\b",
    re.IGNORECASE,
)
"""A bound on what the answer before shows."""


ADDED = lazy(
    r"^(?:\W|and |ok |okay |now )*(?:also|both|add|plus|include)\b|\b(?:too|as well)\W*(?:please|pls)?\W*$", re.I
)


def lost_comparisons(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The comparisons of two columns in the SQL before that the answer makes in no condition: `paid > due`."""
    before = asked.before
    if before is None or asked.kinds & _LOOSENING:
        return []
    compared = [each for each in before.filters if isinstance(each.rhs, Expression) and each.op in _COMPARING]
    tested = [_compared(each) | _columns(each) for each in sql.filters]
    return [each.text for each in compared if _compared(each) and not any(_compared(each) <= new for new in tested)]


_LOOSENING = frozenset({ChangeKind.WIDE, ChangeKind.RESTORE, ChangeKind.COLUMNS, ChangeKind.SHARE})
_COMPARING = frozenset({Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ, Op.NE})


def _compared(each: SqlFilter) -> frozenset[str]:
    """The columns on both sides of a comparison, where none of them is of a subquery."""
    other = each.rhs
    if not isinstance(other, Expression) or other.subquery is not None or other.unknown or not other.columns:
        return frozenset()
    return _columns(each) | frozenset(other.columns)


_CHOOSING = frozenset({Op.EQ, Op.IN, Op.WITHIN})


def _members(each: SqlFilter) -> frozenset[object]:
    return frozenset(each.rhs.members) if isinstance(each.rhs, Choices) else frozenset({each.rhs})


def _columns(each: SqlFilter) -> frozenset[str]:
    return frozenset(column.name for column in each.lhs.columns) if each.lhs is not None else frozenset()


def moved_bounds(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The bounds on a total that the answer puts on single rows, or on parts of what was selected.

    `how many is that` after clients who owe more than 200 in all counts those clients, and not invoices over 200.
    """
    before = asked.before
    if before is None or ChangeKind.BOUND in asked.free:
        return []
    bounds = [
        each for each in before.filters if each.lhs is not None and each.lhs.func and isinstance(each.rhs, Number)
    ]
    return [each.text for each in bounds if _is_moved(each, asked, before, sql)]


def _is_moved(old: SqlFilter, asked: FollowUp, before: SqlSpec, sql: SqlSpec) -> bool:
    same = [each for each in sql.filters if each.op == old.op and each.rhs == old.rhs]
    totals = [each for each in same if each.lhs is not None and each.lhs.func]
    if not totals:
        return bool(_columns(old)) and _columns(old) in map(_columns, same)
    if ChangeKind.GROUP not in asked.kinds or _OF_THOSE.search(asked.fragment) is None:
        return False
    keys = _keys(old, before)
    return all(_is_finer(_keys(each, sql), keys) for each in totals)


_OF_THOSE = lazy(r"\b(?:those|these|them|each)\b", re.IGNORECASE)
"""Says that what was selected stays."""


def _keys(each: SqlFilter, spec: SqlSpec) -> list[Column]:
    return [column for key in spec.group_by if key.block == each.block for column in key.operand.columns]


def _is_finer(new: list[Column], old: list[Column]) -> bool:
    return bool(old) and any(not any(are_alike(mine, other) for other in old) for mine in new)


def first_rows_again(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The limit of an answer that gives the first rows where the next ones are asked for."""
    if ChangeKind.NEXT not in asked.kinds or any(each.offset or each.ranked for each in sql.limits):
        return []
    return [f"the first {sql.limit.count}"] if sql.limit is not None and sql.limit.count is not None else []
