"""Schemas of the tables that queries read: columns, keys, references and NULLs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum

from references.names import Parts, parts_in


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


class DateForm(Enum):
    """Which texts a column of dates holds."""

    DAY = "2024-02-29"
    MOMENT = "2024-02-29 10:30:00"
    INSTANT = "2024-02-29 10:30:00.25"
    """A moment that may have a fraction of a second."""
    EITHER = "a day or a moment"
    """As in SQLite, which has no type of its own for either."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredColumn:
    name: str
    kind: ValueKind
    declared: str
    """The type as declared to SQLite, which decides its conversions."""
    nullable: bool = True
    written: str = ""
    """The type as the DDL names it."""
    digits: int = 0
    """How many digits of a fraction of a second its moments have."""
    values: tuple[str, ...] | None = None
    """Of a type that lists its values: them in the order in which they sort, none where they are too many."""
    longest: int | None = None
    """How many characters its texts may have; `None` where its type sets no limit."""

    def listing(self, values: tuple[str, ...] | None) -> DeclaredColumn:
        """The column as one of texts with these values, whatever its type is called; itself where there are none."""
        return self if values is None else replace(self, kind=ValueKind.TEXT, declared="TEXT", values=values)

    @property
    def timed(self) -> bool:
        """Whether its values are days with a time of day."""
        return bool(_MOMENTS.search(self.written or self.declared))

    def dates(self, *, translated: bool) -> DateForm | None:
        """The dates that it holds; `None` for a column that is not declared DATE, DATETIME or TIMESTAMP."""
        if self.kind is not ValueKind.DATE:
            return None
        if self.timed:
            whole = DateForm.INSTANT if self.digits else DateForm.MOMENT
            return whole if translated else DateForm.EITHER
        return DateForm.DAY if self.declared.upper().startswith("DATE") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A condition that no row may break, or how a generated column is computed."""

    sql: str
    dialect: str
    reason: str
    """CHECK, ENUM, UNSIGNED, LENGTH or GENERATED."""
    computes: str | None = None
    """The column whose value the expression is."""
    columns: frozenset[str] = frozenset()
    """The columns that it reads, in lower case; known once it is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Columns in which no two rows agree, and which are never NULL, unless `nulls`."""

    columns: tuple[str, ...]
    reason: str
    guessed: bool = False
    nulls: bool = False
    """Whether rows with a NULL there may repeat, as UNIQUE has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredTable:
    name: str
    """Bare, unless the schema has another table of that name; then with a dot after its schema."""
    columns: tuple[DeclaredColumn, ...]
    keys: tuple[Key, ...] = ()
    checks: tuple[Check, ...] = ()
    declared: Parts = ()
    """The name with its schema and catalogue, as declared; empty when that is `name`."""

    @property
    def parts(self) -> Parts:
        """The name as declared, in lower case."""
        return self.declared or parts_in(self.name)

    def find(self, name: str) -> DeclaredColumn | None:
        """Finds a column by its name, in any letter case."""
        folded = name.lower()
        return next((each for each in self.columns if each.name.lower() == folded), None)

    def with_check(self, check: Check) -> DeclaredTable:
        """The table with one more condition on its rows."""
        return replace(self, checks=(*self.checks, check))

    def keyed(self, column: DeclaredColumn) -> bool:
        """Whether a key forbids NULL in a column."""
        return any(column.name.lower() in key.columns for key in self.keys if not key.nulls)

    def without_null(self, column: str) -> DeclaredTable:
        """The table with a column that is never NULL."""
        columns = (
            replace(each, nullable=False) if each.name.lower() == column.lower() else each for each in self.columns
        )
        return replace(self, columns=tuple(columns))

    def listing(self, column: str, values: tuple[str, ...]) -> DeclaredTable:
        """The table with a column that lists its values."""
        folded = column.lower()
        columns = (each.listing(values) if each.name.lower() == folded else each for each in self.columns)
        return replace(self, columns=tuple(columns))

    def with_key(self, columns: tuple[str, ...], reason: str, *, nulls: bool = False) -> DeclaredTable:
        """The table with a key of these columns, unless it has one or lacks a column."""
        known = any(set(key.columns) == set(columns) and (nulls or not key.nulls) for key in self.keys)
        if known or not columns or any(self.find(each) is None for each in columns):
            return self
        return replace(self, keys=(*self.keys, Key(columns=columns, reason=reason, nulls=nulls)))


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
    """Declared and given constraints that are ignored."""

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
