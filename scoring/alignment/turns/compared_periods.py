"""Whether a comparison that a follow-up asks for shows both sides, under the same conditions."""

from __future__ import annotations

import re

from scoring.alignment.turns.inherited_times import is_time
from scoring.patterns import lazy
from scoring.question.follow_ups import ChangeKind, FollowUp
from scoring.specification import Clause, SqlFilter, SqlSpec

_YEARS = lazy(r"\b(?:19|20)\d\d\b|\byears?\b|\bago\b", re.IGNORECASE)
_TOLD_BY_YEAR = lazy(r"year|trunc|%Y|yyyy|date\(", re.IGNORECASE)
_TOLD = lazy(r"year|trunc|%Y|yyyy|date\(|month|quarter|week|day", re.IGNORECASE)


def merged_periods(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The times that the answer adds into one figure, where one is to be compared with the other."""
    if asked.before is None or ChangeKind.COMPARE not in asked.kinds or _has_parts(sql):
        return []
    told = _TOLD_BY_YEAR if _YEARS.search(asked.fragment) else _TOLD
    timed = [each for each in sql.filters if is_time(each)]
    times = frozenset[str]().union(*map(_names, timed))
    is_told = any(told.search(each.operand.name) or each.operand.name in times for each in sql.group_by)
    return [] if is_told else [each.text for each in timed]


def _has_parts(sql: SqlSpec) -> bool:
    """Whether an answer computes several figures: in blocks, windows or conditional aggregates."""
    blocks = [each for each in sql.blocks if each.tables]
    several = len(blocks) > 1 or bool(sql.set_operations) or bool(sql.windows)
    return several or any(is_time(each) for each in sql.filters if each.clause in (Clause.CASE, Clause.FILTER))


def one_sided_conditions(asked: FollowUp, sql: SqlSpec) -> list[str]:
    """The conditions of the SQL before that only one side of a comparison has, and times that differ beside it.

    Each side reads the table in a query block of its own.
    """
    before = asked.before
    if before is None or not asked.kinds & {ChangeKind.COMPARE, ChangeKind.SHOW}:
        return []
    if ChangeKind.COMPARE in asked.kinds:
        return [each.text for each in before.filters if not is_time(each) and _is_partial(each, sql)]
    return [each.text for each in before.filters if is_time(each) and _differs_beside(each, sql)]


def _is_partial(old: SqlFilter, sql: SqlSpec) -> bool:
    """Whether some blocks that read the table of a condition have it and some have not."""
    table = next((column.table for column in old.lhs.columns), None) if old.lhs is not None else None
    blocks = [each.path for each in sql.blocks if table is not None and table in each.tables]
    having = [path for path in blocks if any(_is_same(old, each) and _applies(each, path) for each in sql.filters)]
    return 0 < len(having) < len(blocks)


def _applies(each: SqlFilter, path: str) -> bool:
    return each.block == path or path.startswith(f"{each.block}/") or each.block.startswith(f"{path}/")


def _is_same(old: SqlFilter, new: SqlFilter) -> bool:
    return (_names(old), old.op, old.rhs) == (_names(new), new.op, new.rhs)


def _names(each: SqlFilter) -> frozenset[str]:
    return frozenset(column.name for column in each.lhs.columns) if each.lhs is not None else frozenset()


def _differs_beside(old: SqlFilter, sql: SqlSpec) -> bool:
    """Whether a block of its own selects another time by a column of the same name."""
    times = [each for each in sql.filters if is_time(each) and _names(each) and _names(each) == _names(old)]
    kept = {each.block for each in times if _is_same(old, each)}
    return bool(kept) and any(each.block not in kept for each in times)
