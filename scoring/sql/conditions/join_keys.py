"""Recognises conditions that only join: two columns of different FROM items made equal."""

from __future__ import annotations

from sqlglot import exp

from scoring.specification import Clause
from scoring.sql.resolution import Resolved
from scoring.sql.scopes import Scope
from scoring.sql.terms import Node

_WRAPPERS = frozenset({exp.Paren, exp.Cast, exp.TryCast, exp.Lower, exp.Upper, exp.Trim, exp.Collate})


def equates_join_keys(scope: Scope, left: Node, right: Node, clause: Clause) -> bool:
    """Whether `left = right` joins two FROM items; if so, the pair is added to the join they belong to."""
    left, right = _unwrapped(left), _unwrapped(right)
    if type(left) is not exp.Column or type(right) is not exp.Column:
        return False
    one, other = scope.column(left), scope.column(right)
    if one[0] is not None and one[0] is other[0]:
        return False
    if (one[0] is None or other[0] is None) and not _may_join_unknown(scope, left, right, clause):
        return False
    if scope.columns.correlated and (one[0] is None) is not (other[0] is None):
        own, outer = (one[1], other[1]) if other[0] is None else (other[1], one[1])
        if own.is_column and outer.is_column:
            scope.columns.outer_pairs.append((own.columns[0], outer.columns[0]))
    _add_pair(scope, one, other)
    return True


def _may_join_unknown(scope: Scope, left: Node, right: Node, clause: Clause) -> bool:
    """Whether a column of an unknown item joins: it is an outer column, or stands in ON, or tables are listed."""
    for node in (left, right):
        qualifier = node.args.get("table")
        if qualifier is not None and qualifier.name.lower() not in scope.columns.items:
            return True
    return clause is Clause.ON or scope.joins.lists_tables


def _unwrapped(node: Node) -> Node:
    while type(node) in _WRAPPERS:
        node = node.args["this"]
    return node


def _add_pair(scope: Scope, one: Resolved, other: Resolved) -> None:
    """Adds the pair to the later of the joins that brought the two items; ignores pairs with an outer block."""
    (first, left), (second, right) = one, other
    if not left.columns or not right.columns or not scope.joins.all:
        return
    join = scope.joins.later_of(first, second)
    if join is None:
        if first is not None or second is not None or scope.columns.correlated:
            return
        join = scope.joins.all[-1]
    join.pairs.append((left.columns[0], right.columns[0]))
    scope.joins.paired.append(join)
