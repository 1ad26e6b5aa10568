"""Reads schemas: `CREATE TABLE` and `ALTER TABLE` statements, and the constraints given with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import SqlglotError

from references.declarations import Declarations, digits_of_second, kinds, longest_text, table_constraints
from references.enum_types import altered, enum_declared, type_name, values_of
from references.given_constraints import constrained
from references.links import WrittenKey, linked
from references.names import Parts, TableNames, bare, fit, parts_of
from references.schema import BadSchema, Check, DeclaredColumn, DeclaredTable, Key, Schema, ValueKind, kind_of
from references.tsql_ddl import plain_tsql
from scoring.sql.dialects import canonical_dialect, parser_dialect

MAX_DDL = 400_000
"""The longest DDL that is read, in characters."""
_DIALECTS = ("sqlite", "postgres", "mysql", "bigquery", "snowflake", "tsql", "oracle", "clickhouse", "spark")
"""Tried in this order after the dialect that is named."""
_SHOWN = 100
"""Characters of an ignored constraint that are shown."""
_TRUTHS = frozenset({"BOOLEAN", "BIT"})


def read_schema(ddl: str, constraints: object = None, dialect: str | None = None) -> Schema | BadSchema:
    """Reads `CREATE TABLE` statements and the constraints given with them."""
    if len(ddl) > MAX_DDL:
        return BadSchema(f"the schema is longer than {MAX_DDL} characters")
    read = _read_ddl(ddl, dialect)
    if isinstance(read, BadSchema) or constraints is None:
        return read
    return constrained(read, constraints, canonical_dialect(dialect or "") or "sqlite")


@lru_cache(maxsize=64)
def _read_ddl(ddl: str, dialect: str | None) -> Schema | BadSchema:
    """Reads the DDL in the first dialect that understands all of it, else in the one that understands most."""
    said: str | None = None
    best: list[exp.Expr] = []
    written = "sqlite"
    known = canonical_dialect(dialect or "")
    names = _DIALECTS if known is None else (known, *_DIALECTS)
    for name in dict.fromkeys(names):
        trees = _parsed(ddl, name)
        if isinstance(trees, str):
            said = said or trees
            continue
        if _declares(trees) > _declares(best):
            best, written = trees, name
        if best and not _commands(trees):
            break
    if not best:
        return BadSchema(said or "the schema contains no CREATE TABLE")
    try:
        return _Reading(dialect=written).of(best)
    except _UNREADABLE as error:
        return BadSchema(_why(error))


_UNREADABLE = (SqlglotError, RecursionError, ValueError, TypeError, AttributeError, KeyError)
"""What the parser raises, and what follows from statements that it leaves incomplete."""


def _parsed(ddl: str, dialect: str) -> list[exp.Expr] | str:
    trees = _parsed_as_written(ddl, dialect)
    if dialect not in {"tsql", "fabric"} or not (isinstance(trees, str) or _commands(trees)):
        return trees
    plain = _parsed_as_written(plain_tsql(ddl), dialect)
    return trees if isinstance(plain, str) else plain


def _commands(trees: Sequence[exp.Expr]) -> bool:
    """Whether the parser gave up on a statement."""
    return any(isinstance(tree, exp.Command) for tree in trees)


def _parsed_as_written(ddl: str, dialect: str) -> list[exp.Expr] | str:
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

    dialect: str = "sqlite"
    tables: dict[Parts, DeclaredTable] = field(default_factory=dict[Parts, DeclaredTable])
    enums: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Values of types that are declared as ENUM, by name."""
    ignored: list[str] = field(default_factory=list[str])
    links: list[WrittenKey] = field(default_factory=list[WrittenKey])
    views: dict[str, None] = field(default_factory=dict[str, None])

    def of(self, trees: Sequence[exp.Expr]) -> Schema:
        """The schema of the statements. A type has all values that it is ever given."""
        for tree in [each for each in trees if not self._declares_type(each)]:
            if isinstance(tree, exp.Alter):
                self._alter(tree)
            elif isinstance(tree, exp.Create):
                self._create(tree)
            elif isinstance(tree, exp.Command) and tree.name.upper() in {"CREATE", "ALTER"}:
                self.ignored.append(tree.sql()[:_SHOWN])
        names = TableNames.of(self.tables)
        tables = {names.flat(parts): replace(table, name=_name(table, names)) for parts, table in self.tables.items()}
        references, ignored = linked(tables, self.links), tuple(self.ignored)
        return Schema(tables=tables, references=references, views=tuple(self.views), ignored=ignored)

    def _declares_type(self, tree: exp.Expr) -> bool:
        """Whether a statement declares or widens an ENUM, which is remembered."""
        if isinstance(tree, exp.Create) and tree.kind == "TYPE" and isinstance(tree.expression, exp.DataType):
            self.enums[type_name(tree.this.name)] = values_of(tree.expression)
            return True
        if not isinstance(tree, exp.Command):
            return False
        text = str(tree.args.get("expression") or "")
        altering = tree.name.upper() == "ALTER"
        changed = altered(text, self.enums) if altering else {**self.enums, **enum_declared(text)}
        if changed is None or (not altering and changed == self.enums):
            return False
        self.enums = changed
        return True

    def _create(self, tree: exp.Create) -> None:
        named = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        if isinstance(named, exp.Index):
            self._index(tree, named)
        if not isinstance(named, exp.Table):
            return
        if tree.kind == "VIEW" or (tree.kind == "TABLE" and named is tree.this):
            self.views[named.name] = None
        elif named is not tree.this:
            parts = parts_of(named)
            declared = Declarations(tree.this, self.dialect, self.enums)
            table = _table(tree.this, parts, self.dialect)
            listed = {each.name: declared.values(each.name) for each in table.columns}
            columns = tuple(each.listing(listed[each.name]) for each in table.columns)
            table = replace(table, columns=columns)
            self.tables.setdefault(parts, replace(table, checks=tuple(declared.checks())))
            self.ignored.extend(f"{each} on {table.name}" for each in declared.ignored())
            self.links.extend(_references(parts, tree.this))

    def _index(self, tree: exp.Create, index: exp.Index) -> None:
        """A unique index over columns, without a condition, is a key."""
        parameters, table = index.args.get("params"), index.args.get("table")
        if not tree.args.get("unique") or parameters is None or not isinstance(table, exp.Table):
            return
        columns = [each.this.name.lower() for each in parameters.args.get("columns") or ()]
        parts = parts_of(table)
        if parts in self.tables and parameters.args.get("where") is None and all(columns):
            self.tables[parts] = self.tables[parts].with_key(tuple(columns), "a unique index", nulls=True)
        else:
            self.ignored.append(tree.sql()[:_SHOWN])

    def _alter(self, tree: exp.Alter) -> None:
        """Adds the keys and references that `ALTER TABLE … ADD CONSTRAINT` declares."""
        parts = self._meant(parts_of(tree.this))
        for action in tree.args.get("actions") or ():
            constraints = action.expressions if isinstance(action, exp.AddConstraint) else []
            for each in constraints:
                for one in each.expressions if isinstance(each, exp.Constraint) else [each]:
                    self._constrain(parts, one)
            if not constraints:
                self._change(parts, action)

    def _meant(self, name: Parts) -> Parts:
        """The table that a statement names with more or fewer parts than its `CREATE TABLE`."""
        found = [each for each in self.tables if fit(each, name)]
        return found[0] if name not in self.tables and len(found) == 1 else name

    def _constrain(self, parts: Parts, one: exp.Expr) -> None:
        table = self.tables.get(parts)
        columns = tuple(column.name.lower() for column in one.expressions)
        if table is None:
            return
        if isinstance(one, exp.PrimaryKey):
            self.tables[parts] = table.with_key(columns, "given")
        elif isinstance(one, exp.ForeignKey) and isinstance(one.args.get("reference"), exp.Reference):
            self.links.extend(_pairs(parts, columns, one.args["reference"]))
        elif isinstance(one, exp.UniqueColumnConstraint) and isinstance(one.this, exp.Schema):
            names = tuple(each.name.lower() for each in one.this.expressions)
            self.tables[parts] = table.with_key(names, "declared UNIQUE", nulls=True)
            self.ignored.extend(f"{each.sql(self.dialect)} on {table.name}" for each in [one] if each.args.get("nulls"))
        elif isinstance(one, exp.CheckColumnConstraint):
            check = Check(sql=one.this.sql(dialect=self.dialect), dialect=self.dialect, reason="CHECK")
            self.tables[parts] = table.with_check(check)
        else:
            self.ignored.append(f"{one.sql()[:_SHOWN]} on {table.name}")

    def _change(self, parts: Parts, action: exp.Expr) -> None:
        table = self.tables.get(parts)
        if table is not None and isinstance(action, exp.AlterColumn) and action.args.get("allow_null") is False:
            self.tables[parts] = table.without_null(action.name)
        elif table is not None:
            self.ignored.append(f"{action.sql()[:_SHOWN]} on {table.name}")


def _name(table: DeclaredTable, names: TableNames) -> str:
    """The bare name as written, or all parts where another table has it too."""
    flat = names.flat(table.parts)
    return table.name if flat == table.parts[-1] else flat


def _table(tree: exp.Schema, parts: Parts, dialect: str) -> DeclaredTable:
    definitions = [each for each in tree.expressions if isinstance(each, exp.ColumnDef)]
    keys = [Key(columns=tuple(names), reason="declared PRIMARY KEY") for names in _primary(tree, definitions) if names]
    unique = [tuple(names) for names in _unique(tree, definitions) if names]
    keys.extend(Key(columns=names, reason="declared UNIQUE", nulls=True) for names in unique)
    columns: dict[str, DeclaredColumn] = {}
    for each in definitions:
        columns.setdefault(each.name.lower(), _column(each, dialect))
    found = [key for key in keys if all(name in columns for name in key.columns)]
    name = bare(tree.this.name)
    return DeclaredTable(name=name, columns=tuple(columns.values()), keys=tuple(found), declared=parts)


def _column(tree: exp.ColumnDef, dialect: str) -> DeclaredColumn:
    """A column. In a foreign dialect, SQLite would take some types of texts for numbers; Oracle's DATE has a time."""
    declared = tree.kind.sql("sqlite") if tree.kind is not None else ""
    written = tree.kind.sql() if tree.kind is not None else ""
    if dialect == "oracle" and tree.kind is not None and tree.kind.is_type(exp.DType.DATE):
        written = "DATETIME"
    found = kinds(tree)
    required = any(isinstance(each, exp.NotNullColumnConstraint) and not each.args.get("allow_null") for each in found)
    kind = ValueKind.BOOLEAN if written.upper() in _TRUTHS else kind_of(declared)
    return DeclaredColumn(
        name=tree.name,
        kind=kind,
        declared="TEXT" if kind is ValueKind.TEXT and declared and dialect != "sqlite" else declared,
        nullable=not required,
        written=written,
        digits=digits_of_second(tree.kind, dialect) if tree.kind is not None else 0,
        longest=longest_text(tree.kind),
    )


def _primary(tree: exp.Schema, definitions: list[exp.ColumnDef]) -> Iterator[list[str]]:
    for each in definitions:
        if any(isinstance(one, exp.PrimaryKeyColumnConstraint) for one in kinds(each)):
            yield [each.name.lower()]
    for each in table_constraints(tree):
        if isinstance(each, exp.PrimaryKey):
            yield [one.name.lower() for one in each.expressions]


def _unique(tree: exp.Schema, definitions: list[exp.ColumnDef]) -> Iterator[list[str]]:
    for each in definitions:
        if any(isinstance(one, exp.UniqueColumnConstraint) for one in kinds(each)):
            yield [each.name.lower()]
    for each in table_constraints(tree):
        if isinstance(each, exp.UniqueColumnConstraint) and isinstance(each.this, exp.Schema):
            yield [one.name.lower() for one in each.this.expressions]


def _references(table: Parts, tree: exp.Schema) -> Iterator[WrittenKey]:
    for each in tree.expressions:
        if isinstance(each, exp.ColumnDef):
            for one in kinds(each):
                if isinstance(one, exp.Reference):
                    yield from _pairs(table, (each.name,), one)
    for each in table_constraints(tree):
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
