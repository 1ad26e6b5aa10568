"""Finds aggregates of a CASE that also count or add the rows that its condition leaves out."""

from __future__ import annotations

from sqlglot import exp

from scoring.specification import VoidKind
from scoring.sql.expressions import bare
from scoring.sql.folded import Folded, fixed, identical, number
from scoring.sql.folding.folder import fold
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node
from scoring.sql.voids.notes import note
from scoring.values import is_unit


def check_conditional(scope: Scope, func: str, inner: Node, shown: str) -> None:
    """Notes a conditional argument of an aggregate whose condition does not matter, or that adds up other constants."""
    node = bare(inner)
    values = _values(scope, node)
    if len(values) > 1 and all(identical(values[0], each) for each in values[1:]):
        note(scope, VoidKind.CONDITION, shown)
    elif func == "COUNT":
        if _counts_every_row(scope, node, values):
            note(scope, VoidKind.CONDITION, shown)
    elif func in _ADDING:
        weights = _weights(fold(scope, node), values)
        if weights:
            note(scope, VoidKind.ARITHMETIC, shown, weights)
        elif func == "AVG" and _averages_zeros(values):
            note(scope, VoidKind.ARITHMETIC, shown, (0.0,))


def _values(scope: Scope, node: Node) -> list[Folded]:
    """What each arm of a CASE or IF comes to, and its ELSE last; none of other expressions."""
    if type(node) not in (exp.Case, exp.If):
        return []
    arms: list[Node] = node.args["ifs"] if type(node) is exp.Case else [node]
    default: Node | None = node.args.get("default" if type(node) is exp.Case else "false")
    results = [fold(scope, each) for arm in arms if isinstance(each := arm.args.get("true"), exp.Expr)]
    return [*results, fixed(None) if default is None else fold(scope, default)]


def _counts_every_row(scope: Scope, node: Node, values: list[Folded]) -> bool:
    """Whether an expression has a value in the rows that its condition leaves out."""
    if values:
        return values[-1].constant and not values[-1].is_null
    choices = fold(scope, node).choices
    if choices is None or None in choices:
        return False
    truths = all(isinstance(each, bool) for each in choices)
    return not truths or node.find(exp.Null, exp.Case, exp.If) is None  # `COUNT(a = 'x' OR NULL)` counts some rows


def _averages_zeros(values: list[Folded]) -> bool:
    """Whether the rows that a condition leaves out count as 0 among values of the others; a share of 1s is no value."""
    return bool(values) and values[-1].is_fact(truth=False) and any(not each.constant for each in values)


def _weights(folded: Folded, values: list[Folded]) -> tuple[float, ...]:
    """The constants that are added up for rows instead of 1 and 0; none if those are units, or opposites."""
    if folded.choices is None:
        default = number(values[-1].value, 0) if values and values[-1].constant else None
        return (default,) if default else ()
    weights = tuple(sorted(value for each in folded.choices if (value := number(each, 0))))
    if len(weights) == 1:
        return () if is_unit(weights[0]) else weights
    return () if len(weights) == 2 and weights[0] == -weights[1] else weights


_ADDING = frozenset({"SUM", "AVG", "TOTAL"})
