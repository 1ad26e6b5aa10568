"""Whether a follow-up's answer keeps the groups and the measure of the SQL before it, and changes something."""

from __future__ import annotations

import re

from scoring.alignment.turns.compared_periods import merged_periods, one_sided_conditions
from scoring.alignment.turns.kept_details import lost_columns, lost_presence, narrowed_conditions, sorted_as_before
from scoring.alignment.turns.kept_groups import kept_groups, lost_groups
from scoring.alignment.turns.kept_measure import is_rate, lost_rate, lost_terms, lost_unit
from scoring.alignment.turns.kept_values import (
    bounded_rows,
    first_rows_again,
    lost_comparisons,
    moved_bounds,
    unadded_values,
    uncovered_times,
    unreplaced_values,
    values_beside,
)
from scoring.patterns import lazy
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.specification import Aggregation, Projection, SortKey, SqlFilter, SqlSpec


def lost_measures(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """What the SQL before computes and the answer does not, although the follow-up keeps the measure."""
    before = asked.before
    if before is None or asked.free & {ChangeKind.AGGREGATE, ChangeKind.COMPARE}:
        return []
    if not any(each.operand.func for each in _outputs(before)):
        return _lost_rows(asked, sql)
    measures = [each for each in before.aggregations if each.block in before.outputs and not each.windowed]
    lost = [each for each in measures if not _is_computed(each, before, sql)]
    return [f"{each.func}({each.column})" for each in lost] if len(lost) == len(measures) else []


def _is_computed(old: Aggregation, before: SqlSpec, sql: SqlSpec) -> bool:
    """Whether the answer has a measure of the SQL before, or the rate that it is a part of."""
    if any(_is_same(old, other) for other in sql.aggregations):
        return True
    return (bool(before.divisions) or old.func == "AVG") and is_rate(old, sql)


def lost_distinct(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """What the SQL before counts once each, where the answer counts the rows of the same tables."""
    before = asked.before
    if before is None or asked.free & {ChangeKind.COLUMNS, ChangeKind.COMPARE} or _tables(before) != _tables(sql):
        return []
    old, new = _counts(before), _counts(sql)
    if {each.distinct for each in old} != {True} or {each.distinct for each in new} != {False}:
        return []
    names = {column.name for each in old for column in each.columns}
    return [] if _rows_are_few(names, sql) else [f"COUNT(DISTINCT {each.column})" for each in old]


def _counts(spec: SqlSpec) -> list[Aggregation]:
    return [each for each in spec.aggregations if each.func == "COUNT"]


def _rows_are_few(names: set[str], sql: SqlSpec) -> bool:
    """Whether a query may have one row for each value of a column before it counts."""
    keys = [*(key.operand for key in sql.group_by), *(each for window in sql.windows for each in window.partition_by)]
    parted = any(names & {column.name for column in key.columns} for key in keys)
    return parted or bool(sql.set_operations) or any(block.distinct for block in sql.blocks)


def _tables(spec: SqlSpec) -> set[str]:
    return {table for block in spec.blocks for table in block.tables}


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
    limited = {each.block for each in sql.limits if each.count is not None and not each.ranked}
    return next((each for each in sql.order_by if each.block in limited), None)


def _ranks_alike(old: SortKey, new: SortKey) -> bool:
    mine, theirs = ({column.name for column in each.operand.columns} for each in (old, new))
    return old.operand.func == new.operand.func and (mine == theirs or not mine or not theirs)


_OF_THOSE = lazy(r"\b(?:of|from|among|in) (?:them|those|these)\b|\b(?:which|who) (?:of|among)\b", re.IGNORECASE)


def lost_choice(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The first rows that the SQL before chooses, where the answer to `how many of those …` chooses among others."""
    before = asked.before
    if before is None or before.limit is None or _OF_THOSE.search(asked.fragment) is None:
        return []
    count = before.limit.count
    known = {_condition(each) for each in before.filters}
    chosen = tuple([each.block for each in sql.limits if each.count is not None and each.count == count])
    new = _within(chosen, sql)
    lost = any(_condition(each) not in known for each in new) or (_is_one_value(sql) and not set(chosen) - sql.outputs)
    return [f"the first {count}"] if lost else []


def _within(blocks: tuple[str, ...], sql: SqlSpec) -> list[SqlFilter]:
    return [each for each in sql.filters if blocks and each.block.startswith(blocks)]


def _is_one_value(sql: SqlSpec) -> bool:
    """Whether the answer is one row of aggregates."""
    shown = _outputs(sql)
    return (
        bool(shown)
        and all(each.operand.func for each in shown)
        and not any(k.block in sql.outputs for k in sql.group_by)
    )


_EVEN_NONE = lazy(
    r"\b(?:even|also|including|every|all)\b.*\b(?:without|no|none|never|not|nothing|zero|0)\b|\bwith (?:none|zero|0)\b",
    re.IGNORECASE,
)
"""Asks for what has none, too."""


def lost_empty_rows(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The tables that the SQL before joins so that what has no row of them stays, and the answer does not."""
    before = asked.before
    if before is None or asked.free & {ChangeKind.WIDE, ChangeKind.GROUP} or not _EVEN_NONE.search(asked.earlier):
        return []
    old = {each.table for each in before.joins if each.kind == "left"}
    kinds = {each.table: each.kind for each in sql.joins}
    outer = any(each.kind in ("left", "right", "full") for each in sql.joins)
    return [table for table in sorted(old) if not outer and kinds.get(table) == "inner"]


def _are_quantiles(old: Aggregation, new: Aggregation) -> bool:
    """Whether both are quantiles, whatever the dialect calls them."""
    return all(any(name in each.func.upper() for name in ("MEDIAN", "QUANTILE", "PERCENTILE")) for each in (old, new))


def loses_or_repeats(asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the answer lost groups or measures of the SQL before, or does nothing of what the follow-up asks."""
    return any(check(asked, sql) for check in _CHECKS)


def repeats_before(asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the answer is the SQL before, so that nothing of what the follow-up asks is done."""
    before = asked.before
    sorted_before = before is not None and bool(before.order_by) and asked.free == frozenset({ChangeKind.ORDER})
    if before is None or asked.kinds <= {ChangeKind.LIST} or sorted_before:
        return False
    return all(getattr(before, name) == getattr(sql, name) for name in _ESSENTIAL)


_ESSENTIAL = ("subqueries", "filters", "group_by", "projections", "order_by", "limits", "set_operations", "blocks")


def unapplied(asked: FollowUp, sql: SqlSpec) -> bool:
    """Whether the follow-up adds a condition, and the answer has no condition, join or table of its own."""
    before = asked.before
    if before is None or not asked.kinds & _ADDING or _cuts_otherwise(asked, before, sql):
        return False
    known = {_condition(each) for each in before.filters}
    if any(_condition(each) not in known for each in sql.filters):
        return False
    return _tables(sql) <= _tables(before) and len(sql.joins) <= len(before.joins)


def _cuts_otherwise(asked: FollowUp, before: SqlSpec, sql: SqlSpec) -> bool:
    """Whether the answer keeps another number of first rows, or may compute something else."""
    cuts = [[each.count for each in spec.limits] for spec in (before, sql)]
    return bool(asked.free & {ChangeKind.RANK, ChangeKind.AGGREGATE}) or cuts[0] != cuts[1]


def _condition(each: SqlFilter) -> tuple[object, ...]:
    columns = frozenset([column.name for column in each.lhs.columns]) if each.lhs is not None else frozenset[str]()
    return columns, each.op, each.rhs


_ADDING = frozenset({ChangeKind.ONLY, ChangeKind.WITHOUT, ChangeKind.BOUND})
_CHECKS = (
    lost_groups,
    lost_measures,
    lost_distinct,
    lost_terms,
    lost_unit,
    lost_rate,
    lost_ranking,
    lost_choice,
    lost_empty_rows,
    kept_groups,
    values_beside,
    unreplaced_values,
    unadded_values,
    uncovered_times,
    lost_comparisons,
    lost_presence,
    narrowed_conditions,
    lost_columns,
    sorted_as_before,
    moved_bounds,
    bounded_rows,
    merged_periods,
    one_sided_conditions,
    first_rows_again,
    repeats_before,
    unapplied,
)
