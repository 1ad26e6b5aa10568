"""Column types, inferred from what columns are compared with, computed with, and called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from references.equivalence.facts.facts import Facts
from references.equivalence.facts.gathering import gathered
from references.equivalence.facts.readings import Readings
from references.equivalence.inference.naming import has_time, kind_by_name
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
    typed = any(each.translated for each in sides)
    votes = {
        (cell := (folded, column.name.lower())): ValueKind.BOOLEAN
        if cell in truths
        else _vote(cell, facts, typed=typed)
        for folded, table in schema.tables.items()
        for column in table.columns
    }
    if typed:
        _date(votes, facts)
    _spread(votes, facts)
    for cell in sorted(votes):
        if votes[cell] is None:
            votes[cell] = kind_by_name(cell[1])
            _spread(votes, facts)
    tables: dict[str, DeclaredTable] = {}
    timed = facts.timed | facts.moments
    for folded, table in schema.tables.items():
        columns = [
            _as(
                column,
                votes[folded, column.name.lower()] or ValueKind.TEXT,
                timed=(folded, column.name.lower()) in timed,
            )
            for column in table.columns
        ]
        tables[folded] = replace(table, columns=tuple(columns))
    return replace(schema, tables=tables)


def _date(votes: dict[Cell, ValueKind | None], facts: Facts) -> None:
    """Makes dates of the numbers that are compared with dates: of `paid - due > 14`, where `due` is one."""
    for one, other in sorted(facts.meets):
        for here, there in ((one, other), (other, one)):
            if votes.get(here) is ValueKind.INTEGER and there in facts.dated and here in facts.numeric:
                votes[here] = votes[there]


def _spread(votes: dict[Cell, ValueKind | None], facts: Facts) -> None:
    """Gives columns that are compared with each other one type."""
    for _ in range(_ROUNDS):
        for one, other in sorted(facts.meets):
            for here, there in ((one, other), (other, one)):
                if votes.get(here) is None and votes.get(there) is not None:
                    votes[here] = votes[there]


def _as(column: DeclaredColumn, kind: ValueKind, *, timed: bool) -> DeclaredColumn:
    """The column with its type. Dates have times of day where a query or the name says so."""
    moments = kind is ValueKind.DATE and (timed or has_time(column.name))
    return replace(column, kind=kind, declared=kind.value, written="DATETIME" if moments else "")


def _kind_of_texts(texts: list[str]) -> ValueKind:
    return ValueKind.DATE if any(_DAY.match(each) for each in texts) else ValueKind.TEXT


def _read(read: Readings | None) -> tuple[bool, bool]:
    """Whether paths of JSON are read of a column, and decimals of numbers."""
    return (bool(read.paths), bool(read.digits)) if read is not None else (False, False)


def _vote(cell: Cell, facts: Facts, *, typed: bool) -> ValueKind | None:
    """A type by what a column is compared with. In a dialect with types, a number has no date functions."""
    paths, digits = _read(facts.readings.get(cell))
    if paths:
        return ValueKind.TEXT
    values = [*facts.inside.get(cell, ())]
    texts = [each for each in values if isinstance(each, str)]
    if texts:
        return _kind_of_texts(texts)
    if digits or any(isinstance(each, float) for each in values):
        return ValueKind.REAL
    if cell in facts.dated and (typed or not values):
        return ValueKind.DATE
    return ValueKind.INTEGER if values or cell in facts.numeric else None
