"""Which query blocks of the SQL leave rows out of the answer, so that their conditions are negated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from scoring.specification import Clause, Join, Op, SqlFilter, SqlSpec, SubqueryRole
from scoring.values import Number

EXCLUDING_ROLES = frozenset({SubqueryRole.NOT_IN, SubqueryRole.NOT_EXISTS})


def anti_joined_blocks(sql: SqlSpec) -> frozenset[str]:
    """Paths of the blocks that keep only rows without a partner: an outer join, and IS NULL or a count of none."""
    outer = [join for join in sql.joins if join.kind in ("left", "right", "full")]
    if not outer:
        return frozenset()
    absent = [each.block for each in sql.filters if _lacks(each) and _may_lack_partner(each, outer)]
    counted = [each.block for each in sql.filters if _counts_none(each)]
    return frozenset([*absent, *counted]) & {join.block for join in outer}


def _may_lack_partner(each: SqlFilter, outer: Sequence[Join]) -> bool:
    """Whether a column may be of the side that an outer join fills up with NULL: `deleted_at` of the other is not."""
    tables = {column.table for column in each.lhs.columns} if each.lhs is not None else set[str | None]()
    here = [join for join in outer if join.block == each.block]
    kept = not tables or None in tables or any(join.kind != "left" for join in here)
    return kept or any(join.table in tables for join in here)


def _lacks(each: SqlFilter) -> bool:
    """`t.id IS NULL`, which is no arm of an OR: `left_on IS NULL OR left_on > …` asks for no partner."""
    return each.op is Op.IS_NULL and each.clause is Clause.WHERE and each.alternative is None


def _counts_none(each: SqlFilter) -> bool:
    """`HAVING COUNT(t.id) = 0`."""
    if each.lhs is None or each.lhs.func != "COUNT" or not isinstance(each.rhs, Number):
        return False
    return (each.op, each.rhs.value) in ((Op.EQ, 0), (Op.LT, 1), (Op.LE, 0))


def excluded_blocks(sql: SqlSpec) -> frozenset[str]:
    """Paths of the blocks whose rows are left out of the answer; two nested exclusions cancel out."""
    roots = [each.block for each in sql.subqueries if each.role in EXCLUDING_ROLES]
    roots += [each.right for each in sql.set_operations if each.kind.startswith(("except", "minus"))]
    roots += _without_partner(sql)
    roots += [each.table for each in sql.joins if each.kind == "anti"]
    if not roots:
        return frozenset()
    return frozenset(
        block.path
        for block in sql.blocks
        if sum(block.path == root or block.path.startswith(root + "/") for root in roots) % 2
    )


def _without_partner(sql: SqlSpec) -> list[str]:
    """The subqueries and CTEs that an outer join looks up in vain: `LEFT JOIN recent … WHERE recent.id IS NULL`."""
    absent = [each for each in sql.filters if _tests_absence(each)] if sql.joins else []
    paths = {block.path for block in sql.blocks}
    read = Counter(join.table for join in sql.joins)
    looked_up = [join for join in sql.joins if join.kind == "left" and join.table in paths and read[join.table] == 1]
    return [join.table for join in looked_up if any(_is_output(each, join, sql) for each in absent)]


def _tests_absence(each: SqlFilter) -> bool:
    return each.op is Op.IS_NULL and each.clause is Clause.WHERE and each.alternative is None and each.lhs is not None


def _is_output(each: SqlFilter, join: Join, sql: SqlSpec) -> bool:
    """Whether a condition beside a join is on what the joined block gives."""
    if each.lhs is None or each.block != join.block:
        return False
    outputs = [projection.operand for projection in sql.projections if projection.block == join.table]
    return any(output.name == each.lhs.name and output.columns == each.lhs.columns for output in outputs)
