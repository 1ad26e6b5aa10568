"""Whether a follow-up's answer keeps the groups of the SQL before it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scoring.patterns import lazy
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.question.follow_ups.evidence import stems
from scoring.specification import Column, GroupKey, Projection, SqlSpec
from scoring.sql.shapes.naming import is_own_key


def lost_groups(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """What the SQL before groups its answer by and the answer does not, although the follow-up keeps it.

    Of several groups one may go where it says no more than one that stays: a town beside the name of its shop.
    """
    before = asked.before
    replaced = ChangeKind.GROUP in asked.free and _SPLIT.search(asked.fragment) is None
    if before is None or (replaced and _REPLACED.search(asked.fragment) is None):
        return []
    gone = _gone(asked, before, set(_grouped(sql)))
    return [] if replaced and len(gone) < _SEVERAL else gone


def _gone(asked: FollowUp, before: SqlSpec, grouped: set[Column]) -> list[str]:
    """The keys of the SQL before that tell no row of the answer apart."""
    keys = _keys(before)
    kept = [each for each in keys if _is_kept(each, grouped)]
    shown = [each for each in keys if _is_shown(each, before.projections)]
    lost = [each for each in shown if each not in kept]
    if kept and (ChangeKind.COLUMNS in asked.kinds or lost == shown):
        return []
    return _unsaid(lost, kept)


_SPLIT = lazy(
    r"\b(?:split|break|broken)\b(?: (?:that|this|it|those|them))?(?: down| up| out)? (?:by|per)\b", re.IGNORECASE
)
"""Divides the groups that are there."""
_REPLACED = lazy(r"\b(?:rather than|instead of|not(?: by| per)?) \w", re.IGNORECASE)
"""Names the one group that is replaced, so that others stay."""
_SEVERAL = 2


def _unsaid(lost: Sequence[GroupKey], kept: Sequence[GroupKey]) -> list[str]:
    """The keys that say more than those that stay."""
    return [each.operand.name for each in lost if not _is_said_by(each, kept)]


def _keys(spec: SqlSpec) -> list[GroupKey]:
    """The columns by which the rows of an answer are grouped."""
    return [each for each in spec.group_by if each.block in spec.outputs and each.operand.columns]


def _is_kept(key: GroupKey, grouped: set[Column]) -> bool:
    return any(are_alike(column, other) for column in key.operand.columns for other in grouped)


def _is_said_by(key: GroupKey, kept: Sequence[GroupKey]) -> bool:
    """Whether a key is of the same table as one that stays and names its rows."""
    tables = {column.table for each in kept for column in each.operand.columns if _names_rows(column)}
    return any(column.table in tables for column in key.operand.columns)


def are_alike(column: Column, other: Column) -> bool:
    """Whether two columns tell the same things apart: `rider_id` and `riders.name` share a word."""
    return column.name == other.name or bool(_words(column) & _words(other))


def _words(column: Column) -> frozenset[str]:
    """What a column is named by; with its table where it names or numbers the rows of that."""
    own = stems(column.name)
    return (own | stems(column.table or "") if _names_rows(column) else own) - _KEY_WORDS


def _names_rows(column: Column) -> bool:
    return bool(stems(column.name) & _KEY_WORDS) or column.name.endswith(("id", "name", "no", "code"))


_KEY_WORDS = frozenset({"id", "key", "code", "no", "name", "nr", "title", "number", "sku", "uuid", "label"})


def _grouped(sql: SqlSpec) -> Iterator[Column]:
    """The columns that tell the rows of the answer, or of a part of it, apart."""
    for key in sql.group_by:
        yield from key.operand.columns
    for window in sql.windows:
        for operand in window.partition_by:
            yield from operand.columns
    for each in sql.projections if sql.distinct else ():
        yield from each.operand.columns


def _is_shown(key: GroupKey, projections: Sequence[Projection]) -> bool:
    columns = {column.name for column in key.operand.columns}
    return any(
        each.operand.name == key.operand.name
        or (not each.operand.func and columns & {column.name for column in each.operand.columns})
        for each in projections
    )


def kept_groups(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """What the answer is still grouped by, although the follow-up puts another group in its place.

    Where the SQL before has several groups, one of them is replaced. What each new group has one of, as each hive is in
    one yard, is shown beside it.
    """
    before = asked.before
    if before is None or not (asked.instead and ChangeKind.GROUP in asked.kinds):
        return []
    old = {each.operand.name for each in before.group_by if each.block in before.outputs}
    new = {each.operand.name for each in sql.group_by if each.block in sql.outputs}
    return sorted((old & new) - _told_by_key(sql)) if new - old and not old - new else []


def _told_by_key(sql: SqlSpec) -> set[str]:
    """The groups that say no more than the own key of their table, by which rows are grouped, too."""
    keys = _keys(sql)
    keyed = {column.table for key in keys for column in key.operand.columns if is_own_key(column)}
    return {key.operand.name for key in keys if {column.table for column in key.operand.columns} <= keyed}
