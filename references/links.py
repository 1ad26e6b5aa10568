"""Foreign keys as they are written, and the columns of the schema that they join."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from references.names import Parts, fit
from references.schema import DeclaredTable, Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenKey:
    """One column of a foreign key, with the names of the tables as written."""

    table: Parts
    column: str
    parent: Parts
    parent_column: str
    """Empty when the parent's key is meant."""
    reason: str


def linked(tables: Mapping[str, DeclaredTable], keys: Iterable[WrittenKey]) -> tuple[Reference, ...]:
    """The references between columns that exist, the first of several between the same."""
    found: dict[tuple[str, str, str, str], Reference] = {}
    for each in keys:
        child = named(tables, each.table)
        parent = named(tables, each.parent, beside=each.table)
        if child is None or parent is None or tables[child].find(each.column) is None:
            continue
        its = tables[parent]
        column = each.parent_column or (its.keys[0].columns[0] if its.keys else "")
        if its.find(column) is not None:
            place = (child, each.column, parent, column)
            found.setdefault(
                place,
                Reference(table=child, column=each.column, parent=parent, parent_column=column, reason=each.reason),
            )
    return tuple(found.values())


def named(tables: Mapping[str, DeclaredTable], name: Parts, beside: Parts = ()) -> str | None:
    """The table that a name means; of several, the one in the schema of `beside`."""
    if len(name) == 1 and name[0] in tables:
        return name[0]
    found = [flat for flat, table in tables.items() if fit(table.parts, name)]
    near = [flat for flat in found if tables[flat].parts[:-1] == beside[:-1]]
    return next(iter(near or found), None)
