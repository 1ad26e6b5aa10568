"""Reads bounds on the time between two moments: `resolved_at <= created_at + INTERVAL '24 hours'`."""

from __future__ import annotations

from sqlglot import exp

from scoring.specification import Op
from scoring.sql.conditions.drafts import FLIPPED, FilterDraft
from scoring.sql.constants import length_of_time
from scoring.sql.expressions import bare
from scoring.sql.scopes import Scope, read
from scoring.sql.terms import Node, combine
from scoring.values import Number

_SHIFTING = (exp.Add, exp.Sub, exp.DateAdd, exp.DateSub, exp.TimestampAdd, exp.TimestampSub, exp.DatetimeAdd)
_BACK = (exp.Sub, exp.DateSub, exp.TimestampSub)


def difference(scope: Scope, op: Op, left: Node, right: Node) -> FilterDraft | None:
    """`a <= b + 24 hours` as `a - b <= 24`; `None` for another comparison. Neither side is a constant."""
    if op in (Op.EQ, Op.NE):
        return None
    shift = _shift(scope, right)
    if shift is None:
        left, right, op = right, left, FLIPPED[op]
        shift = _shift(scope, right)
    if shift is None:
        return None
    first, second = read(scope, left), read(scope, bare(right.args["this"]))
    if type(right) in _BACK:
        first, second, op = second, first, FLIPPED[op]
    return FilterDraft(combine(f"{first.name} - {second.name}", [first, second]).operand, op, shift)


def _shift(scope: Scope, node: Node) -> Number | None:
    """How far a moment is shifted, if the node shifts one."""
    amount: Node | None = node.args.get("expression") if type(node) in _SHIFTING else None
    return None if amount is None else length_of_time(scope, bare(amount), node.args.get("unit"))
