"""The blocks of a query as sqlglot's scopes, and what the names in each may stand for."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, ScopeType, traverse_scope

QueryBlock: TypeAlias = Scope
"""One SELECT, set operation or table function."""
_ERRORS = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError, IndexError)


class UnresolvedError(ValueError):
    """The names of a query cannot be told apart; the message says why."""


class NamedSource(NamedTuple):
    """One item of a block's FROM."""

    name: str
    """Its alias, or its own name, in lower case; blank where it has neither."""
    node: exp.Expr
    """Where it stands, with its alias."""
    source: exp.Table | QueryBlock | None
    """The table, or the block whose rows it is; `None` where neither is known."""


def query_blocks(tree: exp.Expr) -> list[QueryBlock]:
    """The blocks of a query, inner ones first. Raises `UnresolvedError`."""
    with resolving():
        return traverse_scope(tree)


@contextmanager
def resolving() -> Generator[None]:
    """Raises `UnresolvedError` for what sqlglot raises where it cannot follow a tree that it parsed."""
    try:
        yield
    except _ERRORS as error:
        raise UnresolvedError(f"its names cannot be resolved ({type(error).__name__})") from None


def visible_blocks(block: QueryBlock) -> Iterator[QueryBlock]:
    """The block, and those around it whose columns it may read, inner ones first.

    >>> from sqlglot import parse_one
    >>> [inner, outer] = query_blocks(parse_one("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.b = t.b)"))
    >>> [len(list(visible_blocks(each))) for each in (inner, outer)]
    [2, 1]
    """
    current: QueryBlock | None = block
    while current is not None:
        yield current
        current = current.parent if _reads_around(current) else None


def named_sources(block: QueryBlock) -> list[NamedSource]:
    """The items of a block's FROM in their order; several may have the same name."""
    return [NamedSource(name.lower(), node, _source(name, node, block)) for name, node in block.references]


def _source(name: str, node: exp.Expr, block: QueryBlock) -> exp.Table | QueryBlock | None:
    found = block.sources.get(name)
    if isinstance(found, exp.Table) and isinstance(node, exp.Table) and node is not found and node.name != found.name:
        # two items of one name
        found = node
    if isinstance(found, exp.Table) and not found.db:
        # sqlglot compares the names of CTEs by case, which few databases do
        named = found.name.lower()
        ctes = (source for cte, source in block.cte_sources.items() if cte.lower() == named)
        return next(ctes, found)
    return found


def _reads_around(block: QueryBlock) -> bool:
    if block.scope_type in (ScopeType.SUBQUERY, ScopeType.UDTF, ScopeType.SET_OPERATION):
        return True
    if isinstance(block.expression.parent, exp.Lateral):
        return True
    return block.scope_type is ScopeType.DERIVED_TABLE and block.expression.find_ancestor(exp.Lateral) is not None
