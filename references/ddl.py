"""Reads schemas: `CREATE TABLE` and `ALTER TABLE` statements, and the constraints given with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from references.given_constraints import constrained
from references.links import WrittenKey, linked
from references.names import Parts, TableNames, bare, parts_of
from references.schema import BadSchema, DeclaredColumn, DeclaredTable, Key, Schema, ValueKind, kind_of
from scoring.sql.dialects import canonical_dialect, parser_dialect

MAX_DDL = 400_000
"""The longest DDL that is read, in characters."""
_DIALECTS = ("sqlite", "postgres", "mysql", "bigquery", "snowflake", "tsql", "oracle", "clickhouse", "spark")
"""Tried in this order after the dialect that is named."""
_TRUTHS = frozenset({"BOOLEAN", "BIT"})


def read_schema(ddl: str, constraints: object = None, dialect: str | None = None) -> Schema | BadSchema:
    """Reads `CREATE TABLE` statements and the constraints given with them."""
    if len(ddl) > MAX_DDL:
        return BadSchema(f"the schema is longer than {MAX_DDL} characters")
    read = _read_ddl(ddl, dialect)
    if isinstance(read, BadSchema) or constraints is None:
        return read
    return constrained(read, constraints)


@lru_cache(maxsize=64)
def _read_ddl(ddl: str, dialect: str | None) -> Schema | BadSchema:
    """Reads the DDL in the first dialect that understands all of it, else in the one that understands most."""
    said = "the schema contains no CREATE TABLE"
    best: list[exp.Expr] = []
    foreign = False
    known = canonical_dialect(dialect or "")
    names = _DIALECTS if known is None else (known, *_DIALECTS)
    for name in dict.fromkeys(names):
        trees = _parsed(ddl, name)
        if isinstance(trees, str):
            said = trees
            continue
        if _declares(trees) > _declares(best):
            best, foreign = trees, name != "sqlite"
        if best and not any(isinstance(tree, exp.Command) for tree in trees):
            break
    if not best:
        return BadSchema(said)
    try:
        return _Reading(foreign).of(best)
    except _UNREADABLE as error:
        return BadSchema(_why(error))


_UNREADABLE = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError)
"""What the parser raises, and what follows from statements that it leaves incomplete."""


def _parsed(ddl: str, dialect: str) -> list[exp.Expr] | str:
    try:
        return [tree for tree in parser_dialect(dialect).parse(ddl) if tree is not None]
    except _UNREADABLE as error:
        return _why(error)


def _why(error: Exception) -> str:
    return f"the schema does not parse: {(str(error) or type(error).__name__).splitlines()[0][:120]}"


def _declares(trees: Sequence[exp.Expr]) -> int:
    """The number of tables with columns."""
    return sum(isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema) for tree in trees)


@dataclass(slots=True)
class _Reading:
    """What the statements declare."""

    foreign: bool
    """Whether they are in another dialect than SQLite's."""
    tables: dict[Parts, DeclaredTable] = field(default_factory=dict[Parts, DeclaredTable])
    links: list[WrittenKey] = field(default_factory=list[WrittenKey])
    views: dict[str, None] = field(default_factory=dict[str, None])

    def of(self, trees: Sequence[exp.Expr]) -> Schema:
        """The schema of the statements."""
        for tree in trees:
            if isinstance(tree, exp.Alter):
                self._alter(tree)
            elif isinstance(tree, exp.Create):
                self._create(tree)
        names = TableNames.of(self.tables)
        tables = {names.flat(parts): replace(table, name=_name(table, names)) for parts, table in self.tables.items()}
        return Schema(tables=tables, references=linked(tables, self.links), views=tuple(self.views))

    def _create(self, tree: exp.Create) -> None:
        named = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        if not isinstance(named, exp.Table):
            return
        if tree.kind == "VIEW" or (tree.kind == "TABLE" and named is tree.this):
            self.views[named.name] = None
        elif named is not tree.this:
            parts = parts_of(named)
            self.tables.setdefault(parts, _table(tree.this, parts, foreign=self.foreign))
            self.links.extend(_references(parts, tree.this))

    def _alter(self, tree: exp.Alter) -> None:
        """Adds the keys and references that `ALTER TABLE … ADD CONSTRAINT` declares."""
        parts = parts_of(tree.this)
        for action in tree.args.get("actions") or ():
            if not isinstance(action, exp.AddConstraint):
                continue
            for each in action.expressions:
                for one in each.expressions if isinstance(each, exp.Constraint) else [each]:
                    if isinstance(one, exp.PrimaryKey) and parts in self.tables:
                        columns = tuple(column.name.lower() for column in one.expressions)
                        self.tables[parts] = self.tables[parts].with_key(columns, "given")
                    elif isinstance(one, exp.ForeignKey) and isinstance(one.args.get("reference"), exp.Reference):
                        columns = tuple(column.name for column in one.expressions)
                        self.links.extend(_pairs(parts, columns, one.args["reference"]))


def _name(table: DeclaredTable, names: TableNames) -> str:
    """The bare name as written, or all parts where another table has it too."""
    flat = names.flat(table.parts)
    return table.name if flat == table.parts[-1] else flat


def _table(tree: exp.Schema, parts: Parts, *, foreign: bool) -> DeclaredTable:
    definitions = [each for each in tree.expressions if isinstance(each, exp.ColumnDef)]
    keys = [Key(columns=tuple(names), reason="declared PRIMARY KEY") for names in _primary(tree, definitions) if names]
    keys.extend(Key(columns=tuple(names), reason="declared UNIQUE") for names in _unique(tree, definitions) if names)
    columns: dict[str, DeclaredColumn] = {}
    for each in definitions:
        columns.setdefault(each.name.lower(), _column(each, foreign=foreign))
    found = [key for key in keys if all(name in columns for name in key.columns)]
    name = bare(tree.this.name)
    return DeclaredTable(name=name, columns=tuple(columns.values()), keys=tuple(found), declared=parts)


def _column(tree: exp.ColumnDef, *, foreign: bool) -> DeclaredColumn:
    """A column. In a foreign dialect, SQLite would take some types of texts for numbers."""
    declared = tree.kind.sql("sqlite") if tree.kind is not None else ""
    written = tree.kind.sql() if tree.kind is not None else ""
    kinds = _kinds(tree)
    required = any(isinstance(each, exp.NotNullColumnConstraint) and not each.args.get("allow_null") for each in kinds)
    kind = ValueKind.BOOLEAN if written.upper() in _TRUTHS else kind_of(declared)
    return DeclaredColumn(
        name=tree.name,
        kind=kind,
        declared="TEXT" if kind is ValueKind.TEXT and declared and foreign else declared,
        nullable=not required,
        written=written,
    )


def _kinds(tree: exp.ColumnDef) -> list[object]:
    """The constraints of a column, of whatever type: options of some dialects are among them."""
    return [each.args.get("kind") for each in tree.args.get("constraints") or ()]


def _primary(tree: exp.Schema, definitions: list[exp.ColumnDef]) -> Iterator[list[str]]:
    for each in definitions:
        if any(isinstance(one, exp.PrimaryKeyColumnConstraint) for one in _kinds(each)):
            yield [each.name.lower()]
    for each in _table_constraints(tree):
        if isinstance(each, exp.PrimaryKey):
            yield [one.name.lower() for one in each.expressions]


def _unique(tree: exp.Schema, definitions: list[exp.ColumnDef]) -> Iterator[list[str]]:
    for each in definitions:
        if any(isinstance(one, exp.UniqueColumnConstraint) for one in _kinds(each)):
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


def _references(table: Parts, tree: exp.Schema) -> Iterator[WrittenKey]:
    for each in tree.expressions:
        if isinstance(each, exp.ColumnDef):
            for one in _kinds(each):
                if isinstance(one, exp.Reference):
                    yield from _pairs(table, (each.name,), one)
    for each in _table_constraints(tree):
        if isinstance(each, exp.ForeignKey) and isinstance(each.args.get("reference"), exp.Reference):
            yield from _pairs(table, tuple(one.name for one in each.expressions), each.args["reference"])


def _pairs(table: Parts, columns: tuple[str, ...], reference: exp.Reference) -> Iterator[WrittenKey]:
    target = reference.this
    parent = target.this if isinstance(target, exp.Schema) else target
    names = [each.name for each in target.expressions] if isinstance(target, exp.Schema) else []
    for column, parent_column in zip(columns, names or [""] * len(columns), strict=False):
        yield WrittenKey(
            table=table,
            column=column.lower(),
            parent=parts_of(parent),
            parent_column=parent_column.lower(),
            reason="declared FOREIGN KEY",
        )
