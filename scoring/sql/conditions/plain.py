"""Recognises conditions that certainly depend on the row, so that only the others are folded."""

from __future__ import annotations

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
    return type(node.args.get("this")) is exp.Column and kind in _SHAPES and _SHAPES[kind](node)


def _compares_plainly(scope: Scope, left: Node, right: Node) -> bool:
    kind, other = type(left), type(right)
    if other is exp.Literal:
        if kind is exp.Column:
            return not left.args["this"].args.get("quoted") or left.name != right.args["this"]
        return _is_open(left) or (_counts_rows(left) and _is_above_zero(right))
    if kind is exp.Column:
        return _are_two_columns(scope, left, right) if other is exp.Column else _is_open(right) or _is_cast_text(right)
    return other is exp.Column and _is_open(left)


def _is_open(node: Node) -> bool:
    """Whether a call may have any value: it is not evaluated, and is no condition."""
    return not is_evaluated(node) and isinstance(node, exp.Func) and not isinstance(node, exp.Predicate)


def _is_cast_text(node: Node) -> bool:
    inner = node.args.get("this") if type(node) is exp.Cast else None
    return type(inner) is exp.Literal and bool(inner.args["is_string"])


def _counts_rows(node: Node) -> bool:
    return type(node) is exp.Count and type(node.args.get("this")) in (exp.Column, exp.Star)


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


def _lists_plainly(node: Node) -> bool:
    return all(type(each) is exp.Literal for each in children(node, "expressions"))


def _spans_plainly(node: Node) -> bool:
    return type(node.args["low"]) is exp.Literal and type(node.args["high"]) is exp.Literal


def _tests_plainly(node: Node) -> bool:
    return type(node.args["expression"]) in (exp.Null, exp.Boolean)


def _matches_plainly(node: Node) -> bool:
    pattern = node.args["expression"]
    return type(pattern) is exp.Literal and pattern.args["this"].strip(_WILDCARDS) != ""


_COMPARED = frozenset({exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.NullSafeNEQ})
_KNOWN = frozenset({exp.Column, exp.Boolean, exp.Literal, exp.Exists})
_SHAPES = {
    exp.In: _lists_plainly,
    exp.Between: _spans_plainly,
    exp.Is: _tests_plainly,
    exp.Like: _matches_plainly,
    exp.ILike: _matches_plainly,
    exp.Glob: _matches_plainly,
    exp.RegexpLike: _matches_plainly,
    exp.RegexpILike: _matches_plainly,
}
