"""Keeps witnesses against answers to one question: other wrong answers often differ on them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from references.equivalence.data.population import Population, TablePlan
from references.equivalence.pair import Contents, Found, Level, Witness
from references.equivalence.search.bench import PairBench
from references.sandbox import Row, Value

_MOST = 32
"""The most witnesses that are kept."""


class WitnessPool:
    """The witnesses of one question, lowest level first."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: list[tuple[Level, Witness]] = []

    def add(self, witness: Witness, level: Level) -> None:
        """Keeps a witness."""
        if len(self._kept) < _MOST and all(witness.rows != other.rows for _, other in self._kept):
            self._kept.append((level, witness))
            self._kept.sort(key=lambda each: each[0])

    def __len__(self) -> int:
        return len(self._kept)

    def try_on(self, bench: PairBench, population: Population) -> Found | None:
        """Returns a kept database of ordinary data on which this pair differs too.

        Witnesses of other levels are not tried: the search may find a lower level.
        """
        for level, witness in self._kept:
            if level is not Level.S0:
                return None
            contents = refit(witness, population)
            if bench.differs(contents) is not None and bench.confirmed(contents, Level.S0) is Level.S0:
                return Found(level=Level.S0, data=Level.S0, contents=contents)
        return None


def refit(witness: Witness, population: Population) -> Contents:
    """Fits a witness to the tables and columns of another pair. Missing columns get a default value."""
    held = {name.lower(): name for name in witness.rows}
    contents: dict[str, tuple[Row, ...]] = {}
    for plan in population.plans:
        name = held.get(plan.name.lower(), "")
        contents[plan.name] = _refitted(plan, population, witness.columns.get(name), witness.rows.get(name))
    return contents


def _refitted(
    plan: TablePlan, population: Population, columns: Sequence[str] | None, rows: Sequence[Row] | None
) -> tuple[Row, ...]:
    places = {column.lower(): index for index, column in enumerate(columns or ())}
    return tuple(
        tuple(_value(slot.column.name, places, row, population.pools[slot.pool].own[0]) for slot in plan.slots)
        for row in (rows if rows is not None else ((),))
    )


def _value(name: str, places: Mapping[str, int], row: Row, default: Value) -> Value:
    place = places.get(name.lower())
    return default if place is None else row[place]


def lowest(bench: PairBench, contents: Contents) -> tuple[Level | None, Level]:
    """Returns the lowest level on which the queries differ on a database, and the level that the database needs."""
    if bench.differs(contents) is None:
        return None, Level.S0
    nulls = any(cell is None for rows in contents.values() for row in rows for cell in row)
    for data in (Level.S1 if nulls else Level.S0, Level.S2, Level.S6):
        sure = bench.confirmed(contents, data)
        if sure is not None:
            return sure, data
    return None, Level.S0
