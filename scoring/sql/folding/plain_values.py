"""Recognises outputs that depend on the rows and that no constant changes, so that only the others are folded."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.folding.plain_conditions import is_plain
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, children


def is_plain_value(node: Node) -> bool:
    """Whether an expression is a column, a literal, or an aggregate of a column, of its values or of all rows."""
    inner = bare(node)
    if type(inner) in _PLAIN:
        return True
    argument = inner.args.get("this") if isinstance(inner, exp.AggFunc) else None
    if type(argument) is exp.Distinct:
        argument = _only(argument)
    return type(argument) in (exp.Column, exp.Star)


def _only(distinct: Node) -> Node | None:
    """What DISTINCT is applied to, if that is one value."""
    values: list[Node] = children(distinct, "expressions")
    return values[0] if len(values) == 1 else None


def is_plain_arithmetic(scope: Scope, node: Node) -> bool:
    """Whether an expression computes with columns and aggregates of which each comes once, and with percentages.

    Nothing cancels out then, so it depends on the rows.
    """
    seen: set[tuple[type[Node], str]] = set()
    waiting = [bare(node)]
    while waiting:
        node = waiting.pop()
        inner = _operands(node)
        if inner is not None:
            waiting += inner
            continue
        leaf = _leaf(scope, node)
        if leaf is None or leaf in seen:
            return False
        seen.add(leaf)
    return bool(seen)


def _operands(node: Node) -> list[Node] | None:
    """The values that an operator or call computes with, without percentages; `None` for other expressions."""
    kind = type(node)
    if kind in _OPERATORS:
        parts = [bare(node.args["this"]), bare(node.args["expression"])]
        return parts if kind in _SUMS else [each for each in parts if not _is_percentage(each)]
    if kind is exp.Nullif and _is_number(node.args["expression"], _ZERO):
        return [bare(node.args["this"])]
    if kind is exp.Cast and node.args["to"].args["this"] is not exp.DType.BOOLEAN:
        return [bare(node.args["this"])]
    if kind is exp.Round and _is_number(node.args.get("decimals"), _DIGITS):
        return [bare(node.args["this"])]
    return None


def _leaf(scope: Scope, node: Node) -> tuple[type[Node], str] | None:
    """What a column, an aggregate or a query is known by; `None` for other expressions."""
    kind = type(node)
    if kind is exp.Column:
        return kind, node.name.lower()
    if kind is exp.Subquery:
        return (kind, "") if _reads_table(node) else None
    if kind not in _AGGREGATES or node.args.get("expressions"):
        return None
    argument = node.args.get("this")
    distinct = type(argument) is exp.Distinct
    if distinct:
        argument = _only(argument)
    if type(argument) is exp.Case:
        return (exp.Case, "") if _is_plain_choice(scope, argument) else None
    if type(argument) not in (exp.Column, exp.Star):
        return None
    return kind, f"{'distinct ' if distinct else ''}{argument.name.lower() if isinstance(argument, exp.Expr) else ''}"


def _is_plain_choice(scope: Scope, node: Node) -> bool:
    """Whether a CASE of one condition gives one of two values: a column or literal, or nothing or another literal."""
    arms: list[Node] = node.args["ifs"]
    if node.args.get("this") is not None or len(arms) != 1 or not is_plain(scope, bare(arms[0].args["this"])):
        return False
    value, default = bare(arms[0].args["true"]), node.args.get("default")
    if default is None or not _is_number(default, _ZERO):
        return default is None and type(value) in (exp.Column, exp.Literal)
    return type(value) is exp.Column or (_is_number(value) and value.args["this"].strip("0.") != "")


def _reads_table(node: Node) -> bool:
    query = node.args["this"]
    return type(query) is exp.Select and query.args.get("from_") is not None


def _is_percentage(node: Node) -> bool:
    return _is_number(node, _PERCENTAGES)


def _is_number(node: object, numbers: frozenset[str] | None = None) -> bool:
    """Whether a literal is a number, or one of some numbers."""
    if not isinstance(node, exp.Literal) or node.args["is_string"]:
        return False
    return numbers is None or node.args["this"] in numbers


_PLAIN = frozenset({exp.Column, exp.Star, exp.Literal, exp.Subquery})
_SUMS = frozenset({exp.Add, exp.Sub})
_OPERATORS = _SUMS | {exp.Mul, exp.Div}
_AGGREGATES = frozenset({exp.Sum, exp.Avg, exp.Max, exp.Min, exp.Count})
_PERCENTAGES = frozenset({"1", "1.0", "100", "100.0"})
_DIGITS = frozenset("0123456789")
_ZERO = frozenset({"0", "0.0"})
