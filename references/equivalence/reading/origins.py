"""Finds where a column of a query comes from: a column of a table, or an expression."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope

from references.schema import Schema
from scoring.sql.query_blocks import UnresolvedError, query_blocks, visible_blocks

Cell: TypeAlias = tuple[str, str]
"""Table and column, both in lower case."""

_DEEPEST = 40
"""Nested derived tables, and blocks around a column, that are followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a column refers to."""

    cell: Cell | None
    """The column of a table."""
    tree: exp.Expr | None
    """The expression in a derived table, to be read in `scope`."""
    scope: Scope | None


class Origins:
    """Resolves the columns of one query."""

    __slots__ = ("_around", "_scopes", "schema", "tree")

    def __init__(self, tree: exp.Query, schema: Schema) -> None:
        self.tree = tree
        self.schema = schema
        self._scopes = _scopes(tree)
        self._around: dict[int, Scope | None] = dict(self._scopes)

    def scope(self, node: exp.Expr) -> Scope | None:
        """Returns the innermost block around a node."""
        passed: list[exp.Expr] = []
        up: exp.Expr | None = node
        while up is not None and id(up) not in self._around:
            passed.append(up)
            up = up.parent
        found = self._around[id(up)] if up is not None else None
        # Long chains of AND and OR nest as deep as they are long: remembered, each step up is taken once.
        self._around.update((id(each), found) for each in passed)
        return found

    def of(self, column: exp.Column, scope: Scope | None) -> Origin | None:
        """Returns what a column refers to, or `None` when that is unknown."""
        if scope is None:
            return None
        for source, owner in self._candidates(column, scope):
            found = self._within(column.name.lower(), source, owner)
            if found is not None:
                return found
        return None

    def _candidates(self, column: exp.Column, scope: Scope) -> Iterator[tuple[exp.Expr | Scope, Scope]]:
        alias = column.table.lower()
        for block in islice(visible_blocks(scope), _DEEPEST):
            for name, source in sources(block).items():
                if not alias or name.lower() == alias:
                    yield source, block

    def _within(self, name: str, source: exp.Expr | Scope, owner: Scope) -> Origin | None:
        if isinstance(source, Scope):
            return self._derived(name, source)
        if not isinstance(source, exp.Table):
            return None
        table = self.schema.find(source.name)
        if table is None or table.find(name) is None:
            return None
        return Origin(cell=(source.name.lower(), name), tree=None, scope=owner)

    def _derived(self, name: str, scope: Scope) -> Origin | None:
        """Finds the output of a derived table by its name."""
        tree = first_select(scope.expression)
        inner = self._scopes.get(id(tree)) if tree is not None else None
        if tree is None or inner is None:
            return None
        for each in tree.expressions:
            if each.alias_or_name.lower() == name:
                return Origin(cell=None, tree=each.unalias(), scope=inner)
        if any(each.is_star for each in tree.expressions):
            return Origin(cell=None, tree=exp.column(name), scope=inner)
        return None


def first_select(tree: exp.Expr | None) -> exp.Select | None:
    """Returns the SELECT that names the columns of a query."""
    for _ in range(_DEEPEST):
        if isinstance(tree, exp.Subquery):
            tree = tree.this
        elif isinstance(tree, exp.SetOperation):
            tree = tree.left
        else:
            break
    return tree if isinstance(tree, exp.Select) else None


def sources(scope: Scope) -> Mapping[str, exp.Expr | Scope]:
    """Returns the sources of a block by alias; nothing when aliases clash."""
    try:
        return {name: source for name, (_, source) in scope.selected_sources.items()}
    except (SqlglotError, AttributeError, KeyError):
        return {}


def _scopes(tree: exp.Query) -> dict[int, Scope]:
    with suppress(UnresolvedError):
        return {id(scope.expression): scope for scope in query_blocks(tree)}
    return {}
