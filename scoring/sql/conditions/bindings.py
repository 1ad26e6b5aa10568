"""Which joins some condition binds without an equation of columns: by a range, a function or a computed column."""

from __future__ import annotations

from sqlglot import exp

from scoring.sql.scopes import Scope
from scoring.sql.terms import Node

_MOST = 64
"""Comparisons of one WHERE that are looked at."""


def bind_join(scope: Scope, join: Node, condition: Node) -> None:
    """Notes a join whose ON compares columns of two items of FROM."""
    item = scope.columns.items.get(join.args["this"].alias_or_name.lower())
    pending = scope.joins.of(item) if item is not None else None
    if pending is not None and not pending.pairs and _compares_two(condition):
        pending.bound = True


def bind_listed(scope: Scope, where: Node) -> None:
    """Notes the items listed with commas or CROSS JOIN of which WHERE compares a column with another item's."""
    if not scope.joins.lists_tables:
        return
    for number, each in enumerate(where.find_all(exp.Predicate)):
        if number >= _MOST:
            return
        named = _named(each)
        if len(named) > 1:
            for name in named:
                item = scope.columns.items.get(name)
                pending = scope.joins.of(item) if item is not None else None
                if pending is not None:
                    pending.bound = True


def _compares_two(condition: Node) -> bool:
    """Whether a condition reads columns of two items; columns without a qualifier may be of any."""
    columns = list(condition.find_all(exp.Column))
    return len(_named(condition)) > 1 or (len(columns) > 1 and not all(each.table for each in columns))


def _named(node: Node) -> set[str]:
    return {each.table.lower() for each in node.find_all(exp.Column) if each.table}
