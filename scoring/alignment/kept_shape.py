"""Whether a follow-up's answer keeps the groups and the measure of the SQL before it, and changes something."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.question.follow_ups.evidence import stems
from scoring.specification import Aggregation, Column, GroupKey, Projection, SortKey, SqlFilter, SqlSpec


def lost_groups(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """What the SQL before groups its answer by and the answer does not, although the follow-up keeps it."""
    before = asked.before
    if before is None or ChangeKind.GROUP in asked.free:
        return []
    keys = [each for each in before.group_by if each.block in before.outputs and each.operand.columns]
    if not any(_is_shown(key, before.projections) for key in keys):
        return []
    grouped = set(_grouped(sql))
    is_kept = any(_are_alike(column, other) for key in keys for column in key.operand.columns for other in grouped)
    return [] if is_kept else [key.operand.name for key in keys]


def _are_alike(column: Column, other: Column) -> bool:
    """Whether two columns tell the same things apart: `rider_id` and `riders.name` share a word."""
    return column.name == other.name or bool(_words(column) & _words(other))


def _grouped(sql: SqlSpec) -> Iterator[Column]:
    """The columns that tell the rows of the answer, or of a part of it, apart."""
    for key in sql.group_by:
        yield from key.operand.columns
    for window in sql.windows:
        for operand in window.partition_by:
            yield from operand.columns
    for each in sql.projections if sql.distinct else ():
        yield from each.operand.columns


def _words(column: Column) -> frozenset[str]:
    """What a column and its table are named by."""
    return stems(f"{column.name} {column.table or ''}") - _KEY_WORDS


_KEY_WORDS = frozenset({"id", "key", "code", "no", "name", "nr"})


def _is_shown(key: GroupKey, projections: Sequence[Projection]) -> bool:
    columns = {column.name for column in key.operand.columns}
    return any(
        each.operand.name == key.operand.name or columns & {column.name for column in each.operand.columns}
        for each in projections
    )


def lost_measures(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """What the SQL before computes and the answer does not, although the follow-up keeps the measure."""
    before = asked.before
    if before is None or asked.free & {ChangeKind.AGGREGATE, ChangeKind.COMPARE}:
        return []
    if not any(each.operand.func for each in _outputs(before)):
        return _lost_rows(asked, sql)
    measures = [each for each in before.aggregations if each.block in before.outputs and not each.windowed]
    lost = [each for each in measures if not any(_is_same(each, other) for other in sql.aggregations)]
    return [f"{each.func}({each.column})" for each in lost] if len(lost) == len(measures) else []


def _lost_rows(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The rows that the SQL before lists, where the answer has a value in their place."""
    shown = _outputs(sql)
    listed = not shown or not all(each.operand.func for each in shown)
    return [] if listed or asked.free & {ChangeKind.COUNT, ChangeKind.GROUP} else ["rows"]


def _outputs(sql: SqlSpec) -> list[Projection]:
    return [each for each in sql.projections if each.block in sql.outputs]


def _is_same(old: Aggregation, new: Aggregation) -> bool:
    """Whether two aggregates may be the same measure: `COUNT(*)` and `COUNT(id)`, a count and a sum of ones."""
    mine, theirs = ({column.name for column in each.columns} for each in (old, new))
    if old.func == new.func or _are_quantiles(old, new):
        return old.func == "COUNT" or not mine or not theirs or bool(mine & theirs)
    added = next((each for each in (old, new) if each.func == "SUM"), None)
    return {old.func, new.func} == {"COUNT", "SUM"} and not mine and added is not None and _adds_ones(added)


def _adds_ones(added: Aggregation) -> bool:
    """Whether a sum counts rows: of a CASE, or of a flag."""
    names = [column.name for column in added.columns]
    return added.conditional or all(name.startswith(("is_", "has_", "was_")) for name in names)


_RESORTING = frozenset({ChangeKind.ORDER, ChangeKind.RANK, ChangeKind.AGGREGATE, ChangeKind.SHARE, ChangeKind.COMPARE})


def lost_ranking(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """By what the SQL before ranks its first rows, where the answer ranks otherwise and nothing asks for that."""
    if asked.before is None or asked.free & _RESORTING or asked.kinds & _RESORTING:
        return []
    old, new = _ranked_by(asked.before), _ranked_by(sql)
    if old is None or new is None or (_ranks_alike(old, new) and old.descending is new.descending):
        return []
    return [f"first by {old.operand.name}{' from the top' if old.descending else ' from the bottom'}"]


def _ranked_by(sql: SqlSpec) -> SortKey | None:
    """The first key by which the first rows are taken."""
    limited = {each.block for each in sql.limits if each.count is not None}
    return next((each for each in sql.order_by if each.block in limited), None)


def _ranks_alike(old: SortKey, new: SortKey) -> bool:
    mine, theirs = ({column.name for column in each.operand.columns} for each in (old, new))
    return old.operand.func == new.operand.func and (mine == theirs or not mine or not theirs)


_OF_THOSE = re.compile(r"\b(?:of|from|among|in) (?:them|those|these)\b|\b(?:which|who) (?:of|among)\b", re.IGNORECASE)


def lost_choice(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The first rows that the SQL before chooses, where the answer to `how many of those …` chooses among others."""
    before = asked.before
    if before is None or before.limit is None or _OF_THOSE.search(asked.fragment) is None:
        return []
    known = {_condition(each) for each in before.filters}
    chosen = tuple(each.block for each in sql.limits if each.count is not None and each.count == before.limit.count)
    new = [each for each in sql.filters if chosen and each.block.startswith(chosen)]
    return [f"the first {before.limit.count}"] if any(_condition(each) not in known for each in new) else []


def kept_groups(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """What the answer is still grouped by, although the follow-up puts another group in its place."""
    before = asked.before
    if before is None or not asked.instead or ChangeKind.GROUP not in asked.kinds:
        return []
    old = {each.operand.name for each in before.group_by if each.block in before.outputs}
    new = {each.operand.name for each in sql.group_by if each.block in sql.outputs}
    return sorted(old & new) if new - old else []


def _are_quantiles(old: Aggregation, new: Aggregation) -> bool:
    """Whether both are quantiles, whatever the dialect calls them."""
    return all(any(name in each.func.upper() for name in ("MEDIAN", "QUANTILE", "PERCENTILE")) for each in (old, new))


def loses_or_repeats(asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the answer lost groups or measures of the SQL before, or does nothing of what the follow-up asks."""
    checks = (lost_groups, lost_measures, lost_ranking, lost_choice, kept_groups, repeats_before, unapplied)
    return any(check(asked, sql) for check in checks)


def repeats_before(asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the answer is the SQL before, so that nothing of what the follow-up asks is done."""
    before = asked.before
    if before is None or asked.kinds <= {ChangeKind.LIST}:
        return False
    return all(getattr(before, name) == getattr(sql, name) for name in _ESSENTIAL)


_ESSENTIAL = ("filters", "group_by", "projections", "order_by", "limits", "set_operations", "blocks")


def unapplied(asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the follow-up adds a condition, and the answer has no condition, join or table of its own."""
    before = asked.before
    if before is None or not asked.kinds & _ADDING or ChangeKind.RANK in asked.free:
        return False
    known = {_condition(each) for each in before.filters}
    if any(_condition(each) not in known for each in sql.filters):
        return False
    tables = {table for block in before.blocks for table in block.tables}
    return all(table in tables for block in sql.blocks for table in block.tables) and len(sql.joins) <= len(
        before.joins
    )


def _condition(each: SqlFilter) -> tuple[object, ...]:
    columns = frozenset([column.name for column in each.lhs.columns]) if each.lhs is not None else frozenset[str]()
    return columns, each.op, each.rhs


_ADDING = frozenset({ChangeKind.ONLY, ChangeKind.WITHOUT, ChangeKind.BOUND})
