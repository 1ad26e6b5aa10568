"""Constraints that come beside the DDL, as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from references.links import WrittenKey, linked, named
from references.names import parts_in
from references.schema import BadSchema, DeclaredTable, Reference, Schema

_GIVEN = frozenset({"primary", "foreign", "not_null"})


def constrained(schema: Schema, constraints: object) -> Schema | BadSchema:
    """Adds the keys, references and NOT NULLs that were given with the DDL."""
    if not isinstance(constraints, dict):
        return BadSchema("constraints must be an object with `primary`, `foreign` and `not_null`")
    given: dict[str, Any] = constraints  # pyright: ignore[reportUnknownVariableType] - JSON, checked below
    tables = dict(schema.tables)
    try:
        for table, columns in given.get("primary") or ():
            flat = named(tables, parts_in(table))
            if flat is not None:
                tables[flat] = tables[flat].with_key(tuple(each.lower() for each in columns), "given")
        for table, column in given.get("not_null") or ():
            _forbid_null(tables, table, column)
        references = _distinct((*schema.references, *linked(tables, _references(given))))
    except (TypeError, ValueError, AttributeError) as error:
        return BadSchema(f"constraints cannot be read: {error}")
    ignored = tuple(str(each)[:80] for key, value in given.items() if key not in _GIVEN for each in value or ())
    return Schema(tables=tables, references=references, ignored=ignored)


def _references(given: dict[str, Any]) -> Iterator[WrittenKey]:
    for child, column, parent, name in given.get("foreign") or ():
        yield WrittenKey(
            table=parts_in(child),
            column=column.lower(),
            parent=parts_in(parent),
            parent_column=name.lower(),
            reason="given",
        )


def _distinct(references: tuple[Reference, ...]) -> tuple[Reference, ...]:
    by_columns = {(each.table, each.column, each.parent, each.parent_column): each for each in reversed(references)}
    return tuple(reversed(by_columns.values()))


def _forbid_null(tables: dict[str, DeclaredTable], name: str, column: str) -> None:
    flat = named(tables, parts_in(name))
    if flat is None:
        return
    columns = tuple(
        replace(each, nullable=False) if each.name.lower() == column.lower() else each for each in tables[flat].columns
    )
    tables[flat] = replace(tables[flat], columns=columns)
