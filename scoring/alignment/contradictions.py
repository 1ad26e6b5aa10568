"""Conditions that can never hold together, and those that leave something out."""

from __future__ import annotations

from scoring.alignment.matching import NEGATIVE
from scoring.alignment.same_values import as_number
from scoring.specification import NEGATION, Clause, Op, SqlFilter, SqlSpec, SubqueryRole
from scoring.values import Expression, Text, TimeRange, is_unknown


def contradicts(extra: SqlFilter, met_by: tuple[SqlFilter, ...]) -> bool:
    """Whether an extra condition can never hold together with the filters that meet a required one."""
    return any(_excludes(extra, present) for present in met_by if present.alternative is None)


def _excludes(extra: SqlFilter, present: SqlFilter) -> bool:
    if not _test_same_row(extra, present) or is_unknown(extra.rhs) or is_unknown(present.rhs):
        return False
    if extra.op is NEGATION.get(present.op) and extra.rhs == present.rhs:
        return True
    if extra.op is Op.EQ and present.op is Op.EQ:
        return extra.rhs != present.rhs and not isinstance(extra.rhs, Expression)
    if isinstance(extra.rhs, TimeRange) and isinstance(present.rhs, TimeRange):
        return extra.op is present.op is Op.WITHIN and not extra.rhs.overlaps(present.rhs)
    return _bounds_exclude(extra, present) or _bounds_exclude(present, extra)


def _test_same_row(extra: SqlFilter, present: SqlFilter) -> bool:
    """Whether both test the same left side in the same block, and the extra one is no arm of an OR."""
    if extra.lhs is None or present.lhs is None or extra.lhs.name != present.lhs.name:
        return False
    if extra.clause in _CONDITIONAL and present.clause in _CONDITIONAL:
        return False  # each is of an aggregate of its own
    return extra.block == present.block and extra.alternative is None


_CONDITIONAL = frozenset({Clause.CASE, Clause.FILTER})


def _bounds_exclude(one: SqlFilter, other: SqlFilter) -> bool:
    low = as_number(one.rhs) if one.rhs is not None and one.op in {Op.GT, Op.GE, Op.EQ} else None
    high = as_number(other.rhs) if other.rhs is not None and other.op in {Op.LT, Op.LE, Op.EQ} else None
    if low is None or high is None:
        return False
    return low > high or (low == high and (one.op is Op.GT or other.op is Op.LT))


def excludes(sql: SqlSpec) -> bool:
    """Whether the SQL leaves anything out: a negative operator, NOT IN, EXCEPT, IS NULL or a zero."""
    if any(each.op in NEGATIVE | {Op.IS_NULL} or _is_zero(each) for each in sql.filters):
        return True
    if any(each.role in (SubqueryRole.NOT_IN, SubqueryRole.NOT_EXISTS) for each in sql.subqueries):
        return True
    if any(each.kind == "anti" for each in sql.joins):
        return True
    return any(each.kind.startswith(("except", "minus")) for each in sql.set_operations)


def _is_zero(each: SqlFilter) -> bool:
    if isinstance(each.rhs, Text):
        return each.rhs.folded in {"", "-", "n", "no", "0", "false", "f"}
    return each.rhs is not None and as_number(each.rhs) == 0
