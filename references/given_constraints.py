"""Constraints that come beside the DDL, as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sqlglot import exp

from references.links import WrittenKey, linked, named
from references.names import parts_in
from references.schema import BadSchema, Check, DeclaredTable, Reference, Schema

_GIVEN = frozenset({"primary", "foreign", "not_null", "unique", "check", "enum", "generated"})


def constrained(schema: Schema, constraints: object, dialect: str) -> Schema | BadSchema:
    """Adds the keys, references and conditions that were given with the DDL; others are named as ignored."""
    if not isinstance(constraints, dict):
        return BadSchema(f"constraints must be an object with some of {', '.join(sorted(_GIVEN))}")
    given: dict[str, Any] = constraints  # pyright: ignore[reportUnknownVariableType] - JSON, checked below
    tables = dict(schema.tables)
    try:
        for table, change in _changes(given, dialect):
            flat = named(tables, parts_in(table))
            if flat is not None:
                tables[flat] = change(tables[flat])
        references = _distinct((*schema.references, *linked(tables, _references(given))))
        ignored = (*_unknown_kinds(given), *_nowhere(given, tables))
    except (TypeError, ValueError, AttributeError, IndexError, KeyError) as error:
        return BadSchema(f"constraints cannot be read: {error}")
    return replace(schema, tables=tables, references=references, ignored=(*schema.ignored, *ignored))


def _unknown_kinds(given: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key}: {each}"[:80] for key, value in given.items() if key not in _GIVEN for each in value or ())


def _nowhere(given: dict[str, Any], tables: Mapping[str, DeclaredTable]) -> Iterator[str]:
    """The constraints that name a table or a column which is not declared."""
    for kind in sorted(_GIVEN & given.keys()):
        for each in given[kind] or ():
            for place, columns in ((0, each[1]), *(((2, each[3]),) if kind == "foreign" else ())):
                flat = named(tables, parts_in(each[place]))
                names = () if kind == "check" else (columns,) if isinstance(columns, str) else columns
                if flat is None or any(tables[flat].find(name) is None for name in names):
                    yield f"{kind} {each}: not declared"[:80]


def _changes(given: dict[str, Any], dialect: str) -> Iterator[tuple[str, Callable[[DeclaredTable], DeclaredTable]]]:
    """The name of a table, and what is to change of it, for each constraint."""
    for kind, nulls in (("primary", False), ("unique", True)):
        for table, columns in given.get(kind) or ():
            names = tuple(each.lower() for each in columns)
            yield table, partial(DeclaredTable.with_key, columns=names, reason="given", nulls=nulls)
    for table, column in given.get("not_null") or ():
        yield table, partial(DeclaredTable.without_null, column=column)
    for table, column, values in given.get("enum") or ():
        if all(isinstance(each, str) for each in values):
            yield table, partial(DeclaredTable.listing, column=column, values=tuple(values))
    for table, check in _checks(given, dialect):
        yield table, partial(DeclaredTable.with_check, check=check)


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


def _checks(given: dict[str, Any], dialect: str) -> Iterator[tuple[str, Check]]:
    for table, condition in given.get("check") or ():
        yield table, Check(sql=condition, dialect=dialect, reason="CHECK")
    for table, column, values in given.get("enum") or ():
        literals = ", ".join(exp.Literal.string(str(each)).sql(dialect=dialect) for each in values)
        yield table, Check(sql=f"{quoted_in(column, dialect)} IN ({literals})", dialect=dialect, reason="ENUM")
    for table, column, expression in given.get("generated") or ():
        yield table, Check(sql=expression, dialect=dialect, reason="GENERATED", computes=column.lower())


def quoted_in(name: str, dialect: str) -> str:
    """A quoted name in a dialect."""
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect)
