"""Whether a follow-up's answer keeps an old value beside the new one, or moves what a bound is about."""

from __future__ import annotations

import re

from scoring.alignment.turns.kept_groups import are_alike
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.question.follow_ups.evidence import likely, stems, texts
from scoring.specification import Column, Op, SqlFilter, SqlSpec
from scoring.values import Choices, Number

_REPLACING = frozenset({ChangeKind.THING, ChangeKind.PLACE})
_ADDING = re.compile(
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


_OF_THOSE = re.compile(r"\b(?:those|these|them|each)\b", re.IGNORECASE)
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
