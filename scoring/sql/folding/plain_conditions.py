"""Recognises conditions that certainly depend on the row, so that only the others are folded."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.folding.folder import is_evaluated
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node, children

_WILDCARDS = "%*.^$"


def is_plain(scope: Scope, node: Node) -> bool:
    """Whether a condition compares a column or a call with a literal, a list, a pattern or another column."""
    kind = type(node)
    if kind in _COMPARED:
        return _compares_plainly(scope, bare(node.args["this"]), bare(node.args["expression"]))
    if kind in _KNOWN:
        return True
    return kind in _SHAPES and _SHAPES[kind](bare(node.args["this"]), node)


def _compares_plainly(scope: Scope, left: Node, right: Node) -> bool:
    kind, other = type(left), type(right)
    if other is exp.Literal:
        return _meets_literal(scope, left, right)
    if kind is exp.Column:
        return _are_two_columns(scope, left, right) if other is exp.Column else _is_other(right)
    if other is exp.Column:
        return _is_open(left)
    return other is exp.Subquery and _is_aggregate(left) and _reads_table(right)


def _meets_literal(scope: Scope, left: Node, literal: Node) -> bool:
    """Whether a value that depends on the row is compared with a literal that it may or may not be."""
    kind = type(left)
    if kind is exp.Column:
        if left.args["this"].args.get("quoted") and left.name == literal.args["this"]:
            return False
        return literal.args["this"].strip("0") != "" or scope.column(left)[1].func != "COUNT"
    if _is_open(left):
        return True
    if kind in _AGGREGATES:
        return _counts_rows(left) and _is_above_zero(literal) if kind is exp.Count else _is_aggregate(left)
    return kind in _CASES and type(left.args["this"]) is exp.Column and _is_in_case(kind, literal)


def _is_other(node: Node) -> bool:
    """Whether a value holds no column of the block: a column that is compared with it may have any value."""
    kind = type(node)
    if kind is exp.Subquery:
        return _reads_table(node)
    return kind is exp.Boolean or _is_open(node) or _is_cast_text(node) or _is_moment(node)


def _reads_table(node: Node) -> bool:
    query = node.args["this"]
    return type(query) is exp.Select and query.args.get("from_") is not None


def _is_aggregate(node: Node) -> bool:
    return type(node) in _AGGREGATES and not node.args.get("expressions") and type(node.args["this"]) is exp.Column


def _is_moment(node: Node) -> bool:
    """Whether it is a distance from now, such as `CURRENT_DATE - INTERVAL '7 days'`."""
    if type(node) not in (exp.Add, exp.Sub) or type(node.args["expression"]) is not exp.Interval:
        return False
    return type(node.args["this"]) in _NOW and type(node.args["expression"].args.get("this")) is exp.Literal


def _is_in_case(kind: type[Node], literal: Node) -> bool:
    """Whether a text is in the case that a call gives: no other equals it."""
    raw: str = literal.args["this"]
    return bool(literal.args["is_string"]) and raw == (raw.lower() if kind is exp.Lower else raw.upper())


def _is_open(node: Node) -> bool:
    """Whether a call may have any value: it is not evaluated, and is no condition."""
    return not is_evaluated(node) and isinstance(node, exp.Func) and not isinstance(node, exp.Predicate)


def _is_cast_text(node: Node) -> bool:
    inner = node.args.get("this") if type(node) is exp.Cast else None
    return type(inner) is exp.Literal and bool(inner.args["is_string"])


def _counts_rows(node: Node) -> bool:
    argument = node.args.get("this")
    if type(argument) is exp.Distinct:
        values: list[Node] = children(argument, "expressions")
        argument = values[0] if len(values) == 1 else None
    return type(argument) in (exp.Column, exp.Star)


def _is_above_zero(literal: Node) -> bool:
    raw: str = literal.args["this"]
    return not literal.args["is_string"] and raw.isdecimal() and raw.strip("0") != ""


def _are_two_columns(scope: Scope, left: Node, right: Node) -> bool:
    if left.name.lower() != right.name.lower():
        return True
    one, other = scope.column(left)[0], scope.column(right)[0]
    if one is None or other is None:
        return one is not other
    return one.alias != other.alias


def _lists_plainly(key: Node, node: Node) -> bool:
    return type(key) is exp.Column and all(type(each) is exp.Literal for each in children(node, "expressions"))


def _spans_plainly(key: Node, node: Node) -> bool:
    if type(key) is not exp.Column and not _is_open(key):
        return False
    return type(node.args["low"]) is exp.Literal and type(node.args["high"]) is exp.Literal


def _tests_plainly(key: Node, node: Node) -> bool:
    return type(key) is exp.Column and type(node.args["expression"]) in (exp.Null, exp.Boolean)


def _matches_plainly(key: Node, node: Node) -> bool:
    pattern = node.args["expression"]
    column = key.args.get("this") if type(key) in _CASES else key
    return type(column) is exp.Column and type(pattern) is exp.Literal and pattern.args["this"].strip(_WILDCARDS) != ""


_COMPARED = frozenset({exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ})
_KNOWN = frozenset({exp.Column, exp.Boolean, exp.Literal, exp.Exists})
_CASES = frozenset({exp.Lower, exp.Upper})
_AGGREGATES = frozenset({exp.Sum, exp.Avg, exp.Max, exp.Min, exp.Count})
_NOW = frozenset({exp.CurrentDate, exp.CurrentTimestamp, exp.CurrentDatetime})
_SHAPES: MappingProxyType[type[Node], Callable[[Node, Node], bool]] = MappingProxyType(
    {
        exp.In: _lists_plainly,
        exp.Between: _spans_plainly,
        exp.Is: _tests_plainly,
        exp.Like: _matches_plainly,
        exp.ILike: _matches_plainly,
        exp.Glob: _matches_plainly,
        exp.RegexpLike: _matches_plainly,
        exp.RegexpILike: _matches_plainly,
    }
)
