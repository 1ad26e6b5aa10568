"""Column types, inferred from what columns are compared with, computed with, and called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from references.equivalence.facts.facts import Facts
from references.equivalence.facts.gathering import gathered
from references.equivalence.inference.naming import kind_by_name
from references.equivalence.reading.origins import Cell
from references.equivalence.reading.side import Side
from references.sandbox import Folding
from references.schema import DeclaredColumn, DeclaredTable, Schema, ValueKind

_DAY = re.compile(r"\d{4}-\d\d")
_ROUNDS = 3
"""Joins in a row through which a type is passed on."""


def with_types(schema: Schema, sides: Sequence[Side]) -> Schema:
    """Sets the column types: by what columns are compared or computed with, else by their names."""
    facts = gathered(schema, sides)
    truths = facts.truths if all(each.folding is Folding.NEVER for each in sides) else set[Cell]()
    votes = {
        (cell := (folded, column.name.lower())): ValueKind.BOOLEAN if cell in truths else _vote(cell, facts)
        for folded, table in schema.tables.items()
        for column in table.columns
    }
    _spread(votes, facts)
    for cell in sorted(votes):
        if votes[cell] is None:
            votes[cell] = kind_by_name(cell[1])
            _spread(votes, facts)
    tables: dict[str, DeclaredTable] = {}
    for folded, table in schema.tables.items():
        columns = [_as(column, votes[folded, column.name.lower()] or ValueKind.TEXT) for column in table.columns]
        tables[folded] = replace(table, columns=tuple(columns))
    return replace(schema, tables=tables)


def _spread(votes: dict[Cell, ValueKind | None], facts: Facts) -> None:
    """Gives columns that are compared with each other one type."""
    for _ in range(_ROUNDS):
        for one, other in sorted(facts.meets):
            for here, there in ((one, other), (other, one)):
                if votes.get(here) is None and votes.get(there) is not None:
                    votes[here] = votes[there]


def _as(column: DeclaredColumn, kind: ValueKind) -> DeclaredColumn:
    return replace(column, kind=kind, declared=kind.value)


def _vote(cell: Cell, facts: Facts) -> ValueKind | None:
    values = [*facts.inside.get(cell, ())]
    texts = [each for each in values if isinstance(each, str)]
    if texts:
        return ValueKind.DATE if any(_DAY.match(each) for each in texts) else ValueKind.TEXT
    if any(isinstance(each, float) for each in values):
        return ValueKind.REAL
    if values or cell in facts.numeric:
        return ValueKind.INTEGER
    return ValueKind.DATE if cell in facts.dated else None
