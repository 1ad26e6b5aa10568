"""Schemas of the tables that queries read: columns, keys, references and NULLs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from scoring.sql.dialects import canonical_dialect, parser_dialect

MAX_DDL = 400_000
"""The longest DDL that is read, in characters."""


class ValueKind(StrEnum):
    """The kind of a column's values."""

    INTEGER = "INTEGER"
    REAL = "REAL"
    TEXT = "TEXT"
    DATE = "DATE"
    BOOLEAN = "BOOLEAN"

    @property
    def numeric(self) -> bool:
        return self in {ValueKind.INTEGER, ValueKind.REAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredColumn:
    name: str
    kind: ValueKind
    declared: str
    """The type as declared to SQLite, which decides its conversions."""
    nullable: bool = True
    written: str = ""
    """The type as the DDL names it."""

    @property
    def timed(self) -> bool:
        """Whether its values are days with a time of day."""
        return bool(_MOMENTS.search(self.written or self.declared))


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Columns in which no two rows agree, and which are never NULL."""

    columns: tuple[str, ...]
    reason: str
    guessed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTable:
    name: str
    columns: tuple[DeclaredColumn, ...]
    keys: tuple[Key, ...] = ()

    def find(self, name: str) -> DeclaredColumn | None:
        """Finds a column by its name, in any letter case."""
        folded = name.lower()
        return next((each for each in self.columns if each.name.lower() == folded), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A foreign key: each value of a column that is not NULL exists in the parent's column. Names are lower-case."""

    table: str
    column: str
    parent: str
    parent_column: str
    reason: str
    guessed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    tables: Mapping[str, DeclaredTable]
    """By lower-cased name."""
    references: tuple[Reference, ...] = ()
    views: tuple[str, ...] = ()
    """Names of views, and of tables whose columns are not declared."""
    inferred: bool = False
    """Inferred from the queries instead of read from DDL."""
    ignored: tuple[str, ...] = field(default=())
    """Given constraints that are ignored."""

    def find(self, name: str) -> DeclaredTable | None:
        return self.tables.get(name.lower())

    def guesses(self) -> Iterator[str]:
        """Describes every guessed key and reference, and every constraint that is ignored."""
        for table in self.tables.values():
            for key in table.keys:
                if key.guessed:
                    yield f"key {table.name}({', '.join(key.columns)}): {key.reason}"
        for each in self.references:
            if each.guessed:
                yield f"{each.table}.{each.column} refers to {each.parent}.{each.parent_column}: {each.reason}"
        for each in self.ignored:
            yield f"constraint ignored: {each}"


@dataclass(frozen=True, slots=True)
class BadSchema:
    """Why DDL or constraints could not be read."""

    detail: str


_BOOLEANS = frozenset({"BOOLEAN", "BIT"})
_INTEGERS = re.compile(r"INT|SERIAL|BOOL|BIT\b", re.IGNORECASE)
_REALS = re.compile(r"REAL|FLOA|DOUB|DEC|NUM|MONEY", re.IGNORECASE)
_DATES = re.compile(r"DATE|TIME", re.IGNORECASE)
_MOMENTS = re.compile(r"DATETIME|TIMESTAMP", re.IGNORECASE)


def kind_of(declared: str) -> ValueKind:
    """Returns the kind of values of a declared type.

    >>> kind_of("BIGINT"), kind_of("decimal(10, 2)"), kind_of("timestamp"), kind_of("VARCHAR(3)")
    (<ValueKind.INTEGER: 'INTEGER'>, <ValueKind.REAL: 'REAL'>, <ValueKind.DATE: 'DATE'>, <ValueKind.TEXT: 'TEXT'>)
    """
    for pattern, kind in ((_INTEGERS, ValueKind.INTEGER), (_REALS, ValueKind.REAL), (_DATES, ValueKind.DATE)):
        if pattern.search(declared):
            return kind
    return ValueKind.TEXT


def read_schema(ddl: str, constraints: object = None, dialect: str | None = None) -> Schema | BadSchema:
    """Reads `CREATE TABLE` statements and the constraints given with them."""
    if len(ddl) > MAX_DDL:
        return BadSchema(f"the schema is longer than {MAX_DDL} characters")
    read = _read_ddl(ddl, dialect)
    if isinstance(read, BadSchema) or constraints is None:
        return read
    return _constrained(read, constraints)


@lru_cache(maxsize=64)
def _read_ddl(ddl: str, dialect: str | None) -> Schema | BadSchema:
    said = "the schema contains no CREATE TABLE"
    for name in dict.fromkeys(["sqlite", canonical_dialect(dialect) if dialect else None, "postgres", "mysql"]):
        if name is None:
            continue
        try:
            trees = parser_dialect(name).parse(ddl)
            if any(isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema) for tree in trees):
                return _schema_of([tree for tree in trees if isinstance(tree, exp.Create | exp.Alter)])
        except (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError) as error:
            said = f"the schema does not parse: {(str(error) or type(error).__name__).splitlines()[0][:120]}"
    return BadSchema(said)


def _schema_of(trees: list[exp.Create | exp.Alter]) -> Schema:
    tables: dict[str, DeclaredTable] = {}
    references: list[Reference] = []
    views: dict[str, None] = {}
    for tree in trees:
        if isinstance(tree, exp.Alter):
            _alter(tree, tables, references)
        elif isinstance(tree.this, exp.Table) and tree.kind in {"TABLE", "VIEW"}:
            views[tree.this.name] = None
        elif isinstance(tree.this, exp.Schema) and isinstance(tree.this.this, exp.Table) and tree.kind == "VIEW":
            views[tree.this.this.name] = None
        elif isinstance(tree.this, exp.Schema) and isinstance(tree.this.this, exp.Table):
            table = _table(tree.this)
            tables.setdefault(table.name.lower(), table)
            references.extend(_references(table.name, tree.this))
    return Schema(tables=tables, references=_resolved(tables, references), views=tuple(views))


def _alter(tree: exp.Alter, tables: dict[str, DeclaredTable], references: list[Reference]) -> None:
    """Adds the keys and references that `ALTER TABLE … ADD CONSTRAINT` declares."""
    for action in tree.args.get("actions") or ():
        if not isinstance(action, exp.AddConstraint):
            continue
        for each in action.expressions:
            for one in each.expressions if isinstance(each, exp.Constraint) else [each]:
                if isinstance(one, exp.PrimaryKey):
                    _add_key(tables, tree.this.name, tuple(column.name.lower() for column in one.expressions))
                elif isinstance(one, exp.ForeignKey) and isinstance(one.args.get("reference"), exp.Reference):
                    columns = [column.name for column in one.expressions]
                    references.extend(_pairs(tree.this.name, columns, one.args["reference"]))


def _table(tree: exp.Schema) -> DeclaredTable:
    definitions = [each for each in tree.expressions if isinstance(each, exp.ColumnDef)]
    keys = [Key(columns=tuple(names), reason="declared PRIMARY KEY") for names in _primary(tree, definitions) if names]
    keys.extend(Key(columns=tuple(names), reason="declared UNIQUE") for names in _unique(tree, definitions) if names)
    columns: dict[str, DeclaredColumn] = {}
    for each in definitions:
        columns.setdefault(each.name.lower(), _column(each))
    found = [key for key in keys if all(name in columns for name in key.columns)]
    return DeclaredTable(name=tree.this.name, columns=tuple(columns.values()), keys=tuple(found))


def _column(tree: exp.ColumnDef) -> DeclaredColumn:
    declared = tree.kind.sql("sqlite") if tree.kind is not None else ""
    written = tree.kind.sql() if tree.kind is not None else ""
    kinds = [each.kind for each in tree.args.get("constraints") or ()]
    required = any(isinstance(each, exp.NotNullColumnConstraint) and not each.args.get("allow_null") for each in kinds)
    return DeclaredColumn(
        name=tree.name,
        kind=ValueKind.BOOLEAN if written.upper() in _BOOLEANS else kind_of(declared),
        declared=declared,
        nullable=not required,
        written=written,
    )


def _primary(tree: exp.Schema, definitions: list[exp.ColumnDef]) -> Iterator[list[str]]:
    for each in definitions:
        if any(isinstance(one.kind, exp.PrimaryKeyColumnConstraint) for one in each.args.get("constraints") or ()):
            yield [each.name.lower()]
    for each in _table_constraints(tree):
        if isinstance(each, exp.PrimaryKey):
            yield [one.name.lower() for one in each.expressions]


def _unique(tree: exp.Schema, definitions: list[exp.ColumnDef]) -> Iterator[list[str]]:
    for each in definitions:
        if any(isinstance(one.kind, exp.UniqueColumnConstraint) for one in each.args.get("constraints") or ()):
            yield [each.name.lower()]
    for each in _table_constraints(tree):
        if isinstance(each, exp.UniqueColumnConstraint) and isinstance(each.this, exp.Schema):
            yield [one.name.lower() for one in each.this.expressions]


def _table_constraints(tree: exp.Schema) -> Iterator[exp.Expr]:
    for each in tree.expressions:
        if isinstance(each, exp.Constraint):
            yield from each.expressions
        elif not isinstance(each, exp.ColumnDef):
            yield each


def _references(table: str, tree: exp.Schema) -> Iterator[Reference]:
    for each in tree.expressions:
        if isinstance(each, exp.ColumnDef):
            for one in each.args.get("constraints") or ():
                if isinstance(one.kind, exp.Reference):
                    yield from _pairs(table, [each.name], one.kind)
    for each in _table_constraints(tree):
        if isinstance(each, exp.ForeignKey) and isinstance(each.args.get("reference"), exp.Reference):
            yield from _pairs(table, [one.name for one in each.expressions], each.args["reference"])


def _pairs(table: str, columns: list[str], reference: exp.Reference) -> Iterator[Reference]:
    target = reference.this
    parent = target.this.name if isinstance(target, exp.Schema) else target.name
    names = [each.name for each in target.expressions] if isinstance(target, exp.Schema) else []
    for column, parent_column in zip(columns, names or [""] * len(columns), strict=False):
        yield Reference(
            table=table.lower(),
            column=column.lower(),
            parent=parent.lower(),
            parent_column=parent_column.lower(),
            reason="declared FOREIGN KEY",
        )


def _resolved(tables: Mapping[str, DeclaredTable], references: list[Reference]) -> tuple[Reference, ...]:
    """Keeps references to columns that exist. One without a parent column refers to the parent's key."""
    found: dict[Reference, None] = {}
    for each in references:
        parent, child = tables.get(each.parent), tables.get(each.table)
        if parent is None or child is None or child.find(each.column) is None:
            continue
        name = each.parent_column or (parent.keys[0].columns[0] if parent.keys else "")
        if parent.find(name) is not None:
            found[replace(each, parent_column=name)] = None
    return tuple(found)


def _constrained(schema: Schema, constraints: object) -> Schema | BadSchema:
    """Adds the keys, references and NOT NULLs that were given with the DDL."""
    if not isinstance(constraints, dict):
        return BadSchema("constraints must be an object with `primary`, `foreign` and `not_null`")
    given: dict[str, Any] = constraints  # pyright: ignore[reportUnknownVariableType] - JSON, checked below
    tables = dict(schema.tables)
    references = list(schema.references)
    try:
        for table, columns in given.get("primary") or ():
            _add_key(tables, table, tuple(each.lower() for each in columns))
        for table, column in given.get("not_null") or ():
            _forbid_null(tables, table, column)
        references.extend(_given_references(given))
    except (TypeError, ValueError, AttributeError) as error:
        return BadSchema(f"constraints cannot be read: {error}")
    ignored = tuple(str(each)[:80] for key, value in given.items() if key not in _GIVEN for each in value or ())
    return Schema(tables=tables, references=_distinct(_resolved(tables, references)), ignored=ignored)


_GIVEN = frozenset({"primary", "foreign", "not_null"})


def _given_references(given: dict[str, Any]) -> Iterator[Reference]:
    for child, column, parent, name in given.get("foreign") or ():
        yield Reference(
            table=child.lower(),
            column=column.lower(),
            parent=parent.lower(),
            parent_column=name.lower(),
            reason="given",
        )


def _distinct(references: tuple[Reference, ...]) -> tuple[Reference, ...]:
    by_columns = {(each.table, each.column, each.parent, each.parent_column): each for each in reversed(references)}
    return tuple(reversed(by_columns.values()))


def _add_key(tables: dict[str, DeclaredTable], name: str, columns: tuple[str, ...]) -> None:
    table = tables.get(name.lower())
    if table is None or not columns or any(table.find(each) is None for each in columns):
        return
    if all(set(key.columns) != set(columns) for key in table.keys):
        tables[name.lower()] = replace(table, keys=(*table.keys, Key(columns=columns, reason="given")))


def _forbid_null(tables: dict[str, DeclaredTable], name: str, column: str) -> None:
    table = tables.get(name.lower())
    if table is None:
        return
    columns = tuple(
        replace(each, nullable=False) if each.name.lower() == column.lower() else each for each in table.columns
    )
    tables[name.lower()] = replace(table, columns=columns)
