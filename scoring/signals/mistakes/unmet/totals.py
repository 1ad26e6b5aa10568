"""Signals about totals of groups that are compared with what is not of their groups."""

from __future__ import annotations

from scoring.signals.mistakes.unmet.links import lone_column
from scoring.specification import Clause, Op, SqlFilter, SqlSpec, SubqueryRole
from scoring.values import Expression
from scoring.verdict import Case

_BOUNDS = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})


def total_above_mean_of_rows(case: Case) -> str | None:
    """The total of each group is compared with the mean of single rows, not of the totals.

    >>> total_above_mean_of_rows(case("Pilots who flew more than the average pilot", "SELECT pilot, SUM(hours) FROM "
    ...     "flights GROUP BY pilot HAVING SUM(hours) > (SELECT AVG(hours) FROM flights)"))
    'sum(hours) > (select avg(hours) from flights): a mean of rows'
    """
    odd = next((each for each in case.sql.filters if _is_of_rows(each, case.sql)), None)
    return f"{odd.text}: a mean of rows" if odd is not None else None


def _is_of_rows(each: SqlFilter, sql: SqlSpec) -> bool:
    """Whether a condition compares a sum with the mean of the very column that it adds up, of rows of a table."""
    mean = each.rhs
    added = column.name if (column := lone_column(each)) is not None else ""
    if each.op not in _BOUNDS or not isinstance(mean, Expression) or each.lhs is None or mean.subquery is None:
        return False
    inside = [(found.func, found.column) for found in sql.aggregations if found.block == mean.subquery]
    grouped = any(key.block == mean.subquery for key in sql.group_by)
    deeper = any(block.path.startswith(f"{mean.subquery}/") for block in sql.blocks)
    return each.lhs.name == f"sum({added})" and inside == [("AVG", added)] and not grouped and not deeper


def joined_beside_its_key(case: Case) -> str | None:
    """A query with one row for each key is joined by a comparison alone: each row meets those of all keys.

    >>> joined_beside_its_key(case("Pilots paid above the average of their base", "SELECT p.name FROM pilots p JOIN "
    ...     "(SELECT base, AVG(pay) AS mean FROM pilots GROUP BY base) b ON p.pay > b.mean"))
    'not joined by base'
    """
    if not any(each.clause is Clause.ON and each.op in _BOUNDS for each in case.sql.filters):
        return None
    tested = {name for each in case.sql.filters for name in _names(each)}
    for join in case.sql.joins:
        keys = _plain_keys(join.table, case.sql)
        if keys and join.bound and not join.pairs and join.kind in ("inner", "left") and tested.isdisjoint(keys):
            return f"not joined by {', '.join(keys)}"
    return None


def _plain_keys(block: str, sql: SqlSpec) -> list[str]:
    """The columns by which a block groups; none where it groups by something else, too."""
    grouped = [key.operand for key in sql.group_by if key.block == block]
    keys = [key.name for key in grouped if [column.name for column in key.columns] == [key.name]]
    return keys if len(keys) == len(grouped) else []


def _names(each: SqlFilter) -> set[str]:
    columns = each.lhs.columns if each.lhs is not None else ()
    other = each.rhs.columns if isinstance(each.rhs, Expression) else ()
    return {column.name for column in columns} | set(other)


def values_of_all_groups(case: Case) -> str | None:
    """A row is compared with a subquery that has a row for each group: engines refuse it, or take any of them.

    >>> values_of_all_groups(case("Pilots paid above the mean of their base", "SELECT name FROM pilots WHERE pay > "
    ...     "(SELECT AVG(pay) FROM pilots GROUP BY base)"))
    'pay > (select avg(pay) from pilots): a value for each base'
    """
    for each in case.sql.filters:
        inner = each.rhs.subquery if isinstance(each.rhs, Expression) and each.op in _BOUNDS | {Op.EQ} else None
        keys = [key.operand.name for key in case.sql.group_by if key.block == inner] if inner is not None else []
        if keys and not _may_be_one(inner, case.sql):
            return f"{each.text}: a value for each {', '.join(keys)}"
    return None


def _may_be_one(block: str | None, sql: SqlSpec) -> bool:
    """Whether a subquery is cut, restricted or no value, so that it may have one row."""
    restricted = any(each.block == block for each in (*sql.limits, *sql.filters))
    return restricted or not any(each.block == block and each.role is SubqueryRole.SCALAR for each in sql.subqueries)


def compared_otherwise(case: Case) -> str | None:
    """The first of these that is wrong with what the total or the row of a group is compared with."""
    return total_above_mean_of_rows(case) or joined_beside_its_key(case)
