"""Names the tables and columns of a query that its database does not have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, ScopeType, traverse_scope

from scoring.database.schema_evidence import PSEUDO_COLUMNS, QUOTED_NAMES
from scoring.schema import DatabaseSchema
from scoring.sql.parsing import Parsed

_MOST_NAMED = 100
"""Most tables, or columns, that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InventedNames:
    """What a query reads and its database does not have, in lower case."""

    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """As `table.column`, or the bare name where several tables might have had it."""

    def __bool__(self) -> bool:
        return bool(self.tables or self.columns)


class UngroundedError(ValueError):
    """The names of a query cannot be told apart; the message says why."""


def invented_names(parsed: Parsed, sql: str, schema: DatabaseSchema) -> InventedNames:
    """Returns the invented names of a query. Raises `UngroundedError`.

    >>> from scoring.schema import ColumnType
    >>> from scoring.sql.parsing import parse_query
    >>> schema = DatabaseSchema(tables={"looms": {"id": ColumnType.NUMBER}})
    >>> text = "SELECT l.id, l.age FROM looms AS l JOIN yarns AS y ON y.loom = l.id"
    >>> invented_names(parse_query(text, None), text, schema)
    InventedNames(tables=('yarns',), columns=('looms.age',))
    """
    try:
        reading = _Reading(schema, sql.lower(), texts_in_quotes=parsed.dialect not in QUOTED_NAMES)
        for scope in traverse_scope(parsed.tree):
            reading.read(scope)
    except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
        raise UngroundedError(f"its names cannot be resolved ({type(error).__name__})") from None
    return InventedNames(
        tables=tuple(sorted(reading.tables)[:_MOST_NAMED]), columns=tuple(sorted(reading.columns)[:_MOST_NAMED])
    )


@dataclass(slots=True)
class _Reading:
    """Collects the invented names, query block by query block."""

    schema: DatabaseSchema
    sql: str
    texts_in_quotes: bool
    """Whether a double-quoted word that is no column is a text."""
    tables: set[str] = field(default_factory=set[str])
    columns: set[str] = field(default_factory=set[str])
    outputs: dict[int, frozenset[str] | None] = field(default_factory=dict[int, "frozenset[str] | None"])

    def read(self, scope: Scope) -> None:
        """Checks the tables and columns of one block."""
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and _names_data(source) and not self.schema.knows(source.name.lower()):
                self.tables.add(source.name.lower())
        united = isinstance(scope.expression, exp.SetOperation)
        named = {(each.alias_or_name if united else each.alias).lower() for each in _selected(scope)} - {""}
        for column in scope.find_all(exp.Column):
            self._column(column, scope, named)
        for join in scope.find_all(exp.Join):
            for shared in join.args.get("using") or ():
                self._bare(shared.name.lower(), scope, named)

    def _column(self, column: exp.Column, scope: Scope, named: set[str]) -> None:
        name, qualifier = column.name.lower(), column.table.lower()
        if not name or isinstance(column.this, exp.Star) or name in PSEUDO_COLUMNS or self._is_text(column):
            return
        if qualifier:
            self._qualified(name, qualifier, scope)
        else:
            self._bare(name, scope, named)

    def _qualified(self, name: str, qualifier: str, scope: Scope) -> None:
        source = next((found for each in _visible(scope) if (found := _source(each, qualifier)) is not None), None)
        if source is None:
            # a part of a column that holds a record, or a name that nothing in reach has
            if not self._has(qualifier, scope):
                self.columns.add(f"{qualifier}.{name}")
            return
        held = self._columns_of(source)
        if held is not None and name not in held and qualifier not in held:
            self.columns.add(f"{_table_name(source) or qualifier}.{name}")

    def _bare(self, name: str, scope: Scope, named: set[str]) -> None:
        if name in named or self._has(name, scope):
            return
        tables = [_table_name(each) for each in scope.sources.values()]
        only = tables[0] if len(tables) == 1 else None
        self.columns.add(f"{only}.{name}" if only else name)

    def _has(self, name: str, scope: Scope) -> bool:
        """Whether a source in reach has a column of this name, or may have any column."""
        for each in _visible(scope):
            for alias, source in each.sources.items():
                held = self._columns_of(source)
                if held is None or name in held or name == alias.lower():
                    return True
        return False

    def _is_text(self, column: exp.Column) -> bool:
        quoted = isinstance(column.this, exp.Identifier) and bool(column.this.args.get("quoted"))
        return quoted and not column.table and self.texts_in_quotes and f'"{column.name.lower()}"' in self.sql

    def _columns_of(self, source: object) -> frozenset[str] | None:
        """The columns of a source; `None` when it may have any."""
        if isinstance(source, exp.Table):
            renamed = _renamed(source)
            held = self.schema.tables.get(source.name.lower()) if _names_data(source) else None
            return None if held is None else frozenset(held) | renamed
        if not isinstance(source, Scope) or not isinstance(source.expression, exp.Query):
            return None
        key = id(source.expression)
        if key not in self.outputs:
            # a recursive table reads itself
            self.outputs[key] = None
            self.outputs[key] = self._outputs(source)
        return self.outputs[key]

    def _outputs(self, scope: Scope) -> frozenset[str] | None:
        if scope.set_operation_scopes:
            found = self._columns_of(scope.set_operation_scopes[0])
            return None if found is None else found | _renamed(scope.expression)
        names = set(_renamed(scope.expression))
        for each in _selected(scope):
            if not each.is_star:
                names.add(each.alias_or_name.lower())
                continue
            for source in scope.sources.values():
                held = self._columns_of(source)
                if held is None:
                    return None
                names |= held
        return frozenset(names)


def _names_data(table: exp.Table) -> bool:
    """Whether it is a name, and not a call of a function that gives rows."""
    return isinstance(table.this, exp.Identifier)


def _selected(scope: Scope) -> list[exp.Expr]:
    return scope.expression.selects if isinstance(scope.expression, exp.Query) else []


def _renamed(source: exp.Expr) -> frozenset[str]:
    """The names that an alias gives to the columns: `AS t (a, b)`, `WITH t (a, b) AS …`."""
    holder = source if isinstance(source, exp.Table) else source.parent
    while isinstance(holder, exp.SetOperation):
        holder = holder.parent
    return frozenset(each.lower() for each in getattr(holder, "alias_column_names", None) or ())


def _source(scope: Scope, qualifier: str) -> object | None:
    return next((source for alias, source in scope.sources.items() if alias.lower() == qualifier), None)


def _table_name(source: object) -> str | None:
    return source.name.lower() if isinstance(source, exp.Table) else None


def _visible(scope: Scope) -> Iterator[Scope]:
    """The block, and those around it whose columns it may read."""
    current: Scope | None = scope
    while current is not None:
        yield current
        inside = current.scope_type is ScopeType.SUBQUERY or isinstance(current.expression.parent, exp.Lateral)
        in_union = current.scope_type is ScopeType.SET_OPERATION
        current = current.parent if inside or in_union or _under_lateral(current) else None


def _under_lateral(scope: Scope) -> bool:
    return scope.scope_type is ScopeType.DERIVED_TABLE and scope.expression.find_ancestor(exp.Lateral) is not None
