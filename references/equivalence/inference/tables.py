"""Infers the tables and columns that two queries read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from references.equivalence.inference.column_types import with_types
from references.equivalence.inference.keys import with_keys
from references.equivalence.inference.naming import resemblance
from references.equivalence.reading.origins import sources
from references.equivalence.reading.side import Side
from references.schema import DeclaredColumn, DeclaredTable, Schema, ValueKind
from scoring.sql.query_blocks import UnresolvedError, query_blocks

Named = dict[str, tuple[str, dict[str, str]]]
"""Tables by lower-cased name: the name as written, and the columns by lower-cased name."""


def infer_schema(sides: Sequence[Side]) -> Schema:
    """Returns the smallest schema on which both queries can run, with guessed types, keys and references."""
    tables = {folded: _table(name, columns) for folded, (name, columns) in _named_tables(sides).items()}
    return with_keys(with_types(Schema(tables=tables, inferred=True), sides), sides)


def _table(name: str, columns: Mapping[str, str]) -> DeclaredTable:
    names = [*columns.values()] or ["id"]
    return DeclaredTable(
        name=name, columns=tuple(DeclaredColumn(name=each, kind=ValueKind.TEXT, declared="TEXT") for each in names)
    )


def _named_tables(sides: Sequence[Side]) -> Named:
    named: Named = {}
    scopes = [scope for side in sides for scope in _scopes(side.tree)]
    for scope in scopes:
        _gather_tables(scope, named)
    unqualified: list[tuple[exp.Column, Scope]] = []
    for scope in scopes:
        unqualified.extend(_gather_qualified(scope, named))
    for scope in scopes:
        _gather_using(scope, named)
    unqualified = [(column, scope) for column, scope in unqualified if not _is_no_column(column, scope, sides)]
    for column, scope in sorted(unqualified, key=lambda each: len(_base_tables(each[1])) != 1):
        _place(column, scope, named)
    return named


def _scopes(tree: exp.Query) -> list[Scope]:
    with suppress(UnresolvedError):
        return query_blocks(tree)
    return []


def _gather_tables(scope: Scope, named: Named) -> None:
    for source in sources(scope).values():
        if isinstance(source, exp.Table) and source.name:
            named.setdefault(source.name.lower(), (source.name, {}))


def _gather_qualified(scope: Scope, named: Named) -> Iterator[tuple[exp.Column, Scope]]:
    """Adds the columns that name their table, and yields the others."""
    for node in scope.walk():
        if not isinstance(node, exp.Column) or node.is_star:
            continue
        if not node.table:
            yield node, scope
            continue
        source = _source(node.table, scope)
        if isinstance(source, exp.Table) and source.name:
            named[source.name.lower()][1].setdefault(node.name.lower(), node.name)


def _source(alias: str, scope: Scope | None) -> exp.Expr | Scope | None:
    while scope is not None:
        for name, source in sources(scope).items():
            if name.lower() == alias.lower():
                return source
        scope = scope.parent
    return None


def _gather_using(scope: Scope, named: Named) -> None:
    """Adds each column of USING to the joined table and to a table before it."""
    tree = scope.expression
    for join in tree.args.get("joins") or () if isinstance(tree, exp.Select) else ():
        for each in join.args.get("using") or ():
            name, tables = each.name.lower(), _base_tables(scope)
            if isinstance(join.this, exp.Table) and join.this.name.lower() in named:
                named[join.this.name.lower()][1].setdefault(name, each.name)
                tables = [table for table in tables if table != join.this.name.lower()]
            if tables and all(name not in named[table][1] for table in tables):
                named[tables[0]][1].setdefault(name, each.name)


def _base_tables(scope: Scope) -> list[str]:
    tables = (source for source in sources(scope).values() if isinstance(source, exp.Table))
    return [table.name.lower() for table in tables if table.name]


def _is_no_column(column: exp.Column, scope: Scope, sides: Sequence[Side]) -> bool:
    quoted = isinstance(column.this, exp.Identifier) and column.this.quoted
    return _is_alias(column, scope) or (quoted and _is_text(column, sides))


def _place(column: exp.Column, scope: Scope, named: Named) -> None:
    """Adds a column that names no table to the likeliest one; tables of the innermost block come first."""
    name = column.name.lower()
    up: Scope | None = scope
    while up is not None:
        tables = _base_tables(up)
        held = any(name in named[each][1] for each in tables)
        if held or any(_exposes(source, name) for source in sources(up).values()):
            return
        if tables:
            best = max(tables, key=lambda each: (resemblance(name, each), -tables.index(each)))
            named[best][1].setdefault(name, column.name)
            return
        up = up.parent if up.is_subquery else None


def _is_alias(column: exp.Column, scope: Scope) -> bool:
    """Whether a clause after SELECT refers to an output by its name."""
    tree = scope.expression
    if not isinstance(tree, exp.Query):
        return False
    outputs = {each.alias.lower() for each in tree.selects if each.alias}
    if column.name.lower() not in outputs:
        return False
    clause = column.find_ancestor(exp.Order, exp.Having, exp.Group, exp.Select)
    return not isinstance(clause, exp.Select)


def _is_text(column: exp.Column, sides: Sequence[Side]) -> bool:
    """Whether a double-quoted word stands where a value is expected: SQLite reads it as text."""
    if not any(f'"{column.name}"' in side.sql for side in sides):
        return False
    parent = column.parent
    if isinstance(parent, exp.In | exp.Between):
        return parent.this is not column
    return isinstance(parent, exp.Predicate) and isinstance(parent, exp.Binary) and parent.expression is column


def _exposes(source: exp.Expr | Scope, name: str) -> bool:
    """Whether a derived table has an output of this name."""
    tree = source.expression if isinstance(source, Scope) else None
    if not isinstance(tree, exp.Query):
        return False
    return any(each.alias_or_name.lower() == name or each.is_star for each in tree.selects)
