"""The wire contract of a tenant's schema: a catalogue of tables, or DDL, which becomes one and is not kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Self, cast

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from consumers.wire.texts import bad_character, json_type, shorten
from references.ddl import read_schema
from references.schema import BadSchema, Schema, ValueKind, kind_of
from scoring.schema import ColumnType, DatabaseSchema, in_order
from scoring.words import parted

MAX_SCHEMA_BYTES = 2_000_000
"""Largest schema, in bytes; of DDL at most `references.schema.MAX_DDL` characters are read."""
MOST_TABLES = 2_000
MOST_COLUMNS = 20_000
"""Most columns of all tables together."""


class InvalidSchema(Exception):  # noqa: N818 named beside InvalidRules
    """The document is not a valid schema; the message names the fault and the fix."""


_Name = Annotated[str, Field(strict=True, min_length=1, max_length=200)]


class ColumnDocument(BaseModel):
    """A column."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Name
    type: Annotated[str, Field(strict=True, max_length=200)] = Field(
        default="", description="The type as the database declares it, such as `varchar(20)`."
    )


class ForeignKeyDocument(BaseModel):
    """A foreign key: `columns` of this table refer to `references` of the other, in the same order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: list[_Name] = Field(min_length=1, max_length=16)
    table: _Name = Field(description="The table that is referred to.")
    references: list[_Name] = Field(min_length=1, max_length=16, description="Its columns.")

    @model_validator(mode="after")
    def _pair(self) -> Self:
        if len(self.columns) != len(self.references):
            raise ValueError(f"{len(self.columns)} columns refer to {len(self.references)}: name as many on both sides")
        return self


class TableDocument(BaseModel):
    """A table or view."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: _Name
    columns: list[ColumnDocument] | None = Field(
        default=None, max_length=MOST_COLUMNS, description="Null for a view whose columns are not declared."
    )
    foreign_keys: list[ForeignKeyDocument] = Field(default_factory=list[ForeignKeyDocument], max_length=500)


class SchemaDocument(BaseModel):
    """The tables of a tenant's database."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "tables": [
                        {"name": "ports", "columns": [{"name": "code", "type": "text"}]},
                        {
                            "name": "parcels",
                            "columns": [{"name": "id", "type": "bigint"}, {"name": "port", "type": "text"}],
                            "foreign_keys": [{"columns": ["port"], "table": "ports", "references": ["code"]}],
                        },
                    ]
                }
            ]
        },
    )

    tables: list[TableDocument] = Field(min_length=1, max_length=MOST_TABLES)

    @model_validator(mode="after")
    def _bounded(self) -> Self:
        columns = sum(len(table.columns or ()) for table in self.tables)
        if columns > MOST_COLUMNS:
            raise ValueError(
                f"{columns} columns: at most {MOST_COLUMNS} are read; leave out tables that no agent reads"
            )
        return self

    def schema_of_database(self) -> DatabaseSchema:
        """The schema ready to apply. A name without its schema stands for every table of that name."""
        tables: dict[str, dict[str, ColumnType]] = {}
        for table in self.tables:
            if table.columns is not None:
                found = tables.setdefault(_folded(table.name), {})
                found.update({_folded(each.name): _kind(each.type) for each in table.columns})
        undeclared = frozenset(_folded(table.name) for table in self.tables if table.columns is None)
        keys = frozenset(_keys(self.tables))
        parts = {whole: part for whole, part in _names(self.tables) if whole != part}
        return DatabaseSchema(
            tables={name: columns for name, columns in tables.items() if name not in undeclared},
            open_tables=undeclared,
            keys=keys,
            joined=frozenset(in_order(left.partition(".")[0], right.partition(".")[0]) for left, right in keys),
            parts=parts,
            whole={part: whole for whole, part in parts.items()},
        )


def _keys(tables: list[TableDocument]) -> Iterator[tuple[str, str]]:
    for table in tables:
        for key in table.foreign_keys:
            for column, there in zip(key.columns, key.references, strict=True):
                yield in_order(f"{_parts(table.name)}.{_parts(column)}", f"{_parts(key.table)}.{_parts(there)}")


def _names(tables: list[TableDocument]) -> Iterator[tuple[str, str]]:
    """Each name in lower case, and by its parts."""
    for table in tables:
        for name in (table.name, *(each.name for each in table.columns or ())):
            yield _folded(name), _parts(name)


def _parts(name: str) -> str:
    """The last part of a name, with its humps told apart.

    >>> _parts('public."OrderID"')
    'order_id'
    """
    return parted(_last(name))


def _folded(name: str) -> str:
    """The last part of a name, in lower case.

    >>> _folded('public."Order Items"'), _folded("OrderID")
    ('order items', 'orderid')
    """
    return _last(name).lower()


def _last(name: str) -> str:
    bare = name.strip()
    if bare[-1:] in {'"', "`", "]"}:
        opening = {'"': '"', "`": "`", "]": "["}[bare[-1]]
        return bare[:-1].rpartition(opening)[2]
    return bare.rpartition(".")[2]


_KINDS = {
    ValueKind.INTEGER: ColumnType.NUMBER,
    ValueKind.REAL: ColumnType.NUMBER,
    ValueKind.BOOLEAN: ColumnType.NUMBER,
    ValueKind.DATE: ColumnType.TIME,
    ValueKind.TEXT: ColumnType.TEXT,
}
_TEXT_TYPES = ("char", "text", "string", "clob")
_NO_NUMBERS = ("interval", "point", "range", "[]", "array", "bool", "bit")


def _kind(declared: str) -> ColumnType:
    """What a declared type holds. Flags compare with `true` and `'t'`, and are no numbers here.

    >>> [_kind(each).value for each in ("BIGINT", "varchar(3)", "timestamptz", "boolean", "int[]", "", "jsonb")]
    ['number', 'text', 'time', 'other', 'other', 'other', 'other']
    """
    lower = declared.lower()
    if any(each in lower for each in _NO_NUMBERS):
        return ColumnType.OTHER
    kind = _KINDS[kind_of(declared)]
    if kind is ColumnType.TEXT and not any(each in lower for each in _TEXT_TYPES):
        return ColumnType.OTHER
    return kind


def decode_schema(raw: bytes, *, as_json: bool | None = None, dialect: str | None = None) -> SchemaDocument:
    """Decodes a catalogue in JSON, `{"ddl": …}`, or DDL, which is read in the dialect first; raises `InvalidSchema`.

    Without `as_json`, a text that begins with a brace is JSON.
    """
    if len(raw) > MAX_SCHEMA_BYTES:
        raise InvalidSchema(f"the schema has {len(raw)} bytes: at most {MAX_SCHEMA_BYTES} are read")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidSchema(f"byte {error.start} of the schema is not UTF-8: send UTF-8") from None
    if as_json is None:
        as_json = text.lstrip()[:1] in {"{", "["}
    return _of_json(text) if as_json else of_ddl(text, dialect)


def _of_json(text: str) -> SchemaDocument:
    try:
        parsed: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidSchema(f"the schema is not JSON ({shorten(str(error))}): send one JSON object, or DDL") from None
    if not isinstance(parsed, dict):
        raise InvalidSchema(f"the schema is {json_type(parsed)}: send an object with `tables` or `ddl`")
    document = cast("dict[str, object]", parsed)
    if "ddl" not in document:
        return _validated(document)
    ddl, dialect = document["ddl"], document.get("dialect")
    other = sorted(document.keys() - {"ddl", "dialect"})
    if other or not isinstance(ddl, str) or not (dialect is None or isinstance(dialect, str)):
        raise InvalidSchema(f"beside `ddl`, a text, only `dialect` is read, got {shorten(', '.join(document))}")
    return of_ddl(ddl, dialect)


def of_ddl(ddl: str, dialect: str | None) -> SchemaDocument:
    """The catalogue of `CREATE TABLE` and `CREATE VIEW` statements, with keys that `ALTER TABLE` adds."""
    read = read_schema(ddl, dialect=dialect)
    if isinstance(read, BadSchema):
        raise InvalidSchema(f"{shorten(read.detail, 200)}: send CREATE TABLE statements, or a catalogue in JSON")
    return _validated({"tables": list(_tables(read))})


def _tables(schema: Schema) -> Iterator[Mapping[str, object]]:
    for name, table in schema.tables.items():
        keys = [
            {"columns": [each.column], "table": each.parent, "references": [each.parent_column]}
            for each in schema.references
            if each.table == name
        ]
        columns = [{"name": each.name, "type": each.written[:200]} for each in table.columns]
        yield {"name": table.name, "columns": columns, "foreign_keys": keys}
    for name in schema.views:
        yield {"name": name, "columns": None}


def _validated(document: Mapping[str, object]) -> SchemaDocument:
    try:
        schema = SchemaDocument.model_validate(dict(document))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in fault["loc"][:6]) or "schema"
        message = fault["msg"].removeprefix("Value error, ")
        raise InvalidSchema(f"{shorten(path)}: {message}, got {shorten(repr(fault['input']))}") from None
    for text in _texts(schema):
        place = bad_character(text)
        if place is not None:
            raise InvalidSchema(f"{shorten(text)!r} holds U+{ord(text[place]):04X} at character {place}: remove it")
    return schema


def _texts(schema: SchemaDocument) -> Iterator[str]:
    for table in schema.tables:
        yield table.name
        for column in table.columns or ():
            yield from (column.name, column.type)
        for key in table.foreign_keys:
            yield from (*key.columns, key.table, *key.references)
