"""Finds sort keys whose order is not that of their value (`price % 10`), and HAVING that tests the whole table."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.folding.folder import fold
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node

REORDERED = "reordered"
"""What a sort key does to the order, as a value of its void."""


def is_reordered(scope: Scope, node: Node, *, alone: bool) -> bool:
    """Whether the first sort key orders rows unlike the value that it reads; `alone`: no other key follows it.

    A test such as `price IS NULL` before another key only says which rows come first.
    """
    node = bare(node)
    if type(node) is exp.Column or isinstance(node, exp.AggFunc):
        return False
    if isinstance(node, exp.Predicate | exp.Not | exp.Case):
        return alone
    if type(node) in _UNLIKE:
        return node.find(*_READING) is not None
    if type(node) is exp.Cast:
        return node.args["to"].args["this"] in exp.DataType.TEXT_TYPES
    if type(node) in (exp.Greatest, exp.Least):
        return any(type(bare(each)) is exp.Literal for each in node.iter_expressions())
    if type(node) is exp.Div:
        return fold(scope, node.args["this"]).constant
    return type(node) is exp.Mul and node.find(exp.Rand) is not None


def is_about_rows(select: Node, having: Node) -> bool:
    """Whether HAVING without GROUP BY tests rows within a total: it keeps the one row of totals, or none."""
    totals = list(having.find_all(exp.AggFunc))
    if not totals or not any(each.find(exp.AggFunc) for each in select.args["expressions"]):
        return False
    if any(each.find(exp.Predicate) for each in totals):
        return True
    return any(each.is_string for each in having.find_all(exp.Literal))


_READING = (exp.Column, exp.AggFunc)
_UNLIKE = frozenset({exp.Mod, exp.Abs, exp.Length, exp.Sign, exp.Reverse, exp.Hex, exp.MD5, exp.Sin, exp.Cos})
