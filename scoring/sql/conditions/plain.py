"""Recognises conditions that certainly depend on the row, so that only the others are folded."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.expressions import bare
from scoring.sql.terms import Node, children

_WILDCARDS = "%*.^$"


def is_plain(node: Node) -> bool:
    """Whether a condition compares a column with a literal, a list, a pattern or another column."""
    kind = type(node)
    if kind in _COMPARED:
        return _compares_plainly(bare(node.args["this"]), bare(node.args["expression"]))
    if kind in _KNOWN:
        return True
    return type(node.args.get("this")) is exp.Column and kind in _SHAPES and _SHAPES[kind](node)


def _compares_plainly(left: Node, right: Node) -> bool:
    if type(left) is not exp.Column:
        return False
    kind = type(right)
    if kind is exp.Literal:
        return not left.args["this"].args.get("quoted") or left.name != right.args["this"]
    return kind is exp.Column and left.name.lower() != right.name.lower()


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
_KNOWN = frozenset({exp.Column, exp.Boolean, exp.Literal})
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
