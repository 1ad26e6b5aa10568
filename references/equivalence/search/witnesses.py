"""Keeps witnesses against answers to one question: other wrong answers often differ on them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from references.equivalence.data.population import Population, TablePlan
from references.equivalence.pair import Contents, Found, Level, Witness
from references.equivalence.search.bench import PairBench
from references.sandbox import Row, Value
from references.schema import ValueKind

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


def without_zeros(bench: PairBench, population: Population, found: Found) -> Found:
    """The witness with another number for 0, where the queries then differ on a lower level.

    A key that happens to be 0 is a row like any other: only a 0 that a query computes is next to no row.
    """
    if found.level is not Level.S6 or not all(found.contents.values()):
        return found
    pools = {place for plan in population.plans for place in _zeros(plan, found.contents[plan.name])}
    for chosen in (pools, *({each} for each in sorted(pools))):
        contents = {plan.name: _without(plan, found.contents, chosen) for plan in population.plans}
        level, data = lowest(bench, contents)
        if level is not None and level < found.level:
            return Found(level=level, data=data, contents=contents)
    return found


def _zeros(plan: TablePlan, rows: Sequence[Row]) -> set[int]:
    """The pools of the columns that hold a 0."""
    return {slot.pool for row in rows for slot, cell in zip(plan.slots, row, strict=True) if _is_zero(cell)}


def _without(plan: TablePlan, contents: Contents, pools: set[int]) -> tuple[Row, ...]:
    """A table's rows in which one number that no table holds stands for every 0 of these pools; 1 in a truth value."""
    held = {cell for rows in contents.values() for row in rows for cell in row}
    number = next(each for each in range(1, len(held) + 2) if each not in held)
    return tuple(
        tuple(
            _like(cell, 1 if slot.column.kind is ValueKind.BOOLEAN else number)
            if slot.pool in pools and _is_zero(cell)
            else cell
            for slot, cell in zip(plan.slots, row, strict=True)
        )
        for row in contents[plan.name]
    )


def _is_zero(cell: Value) -> bool:
    return isinstance(cell, int | float) and cell == 0


def _like(cell: Value, number: int) -> Value:
    return float(number) if isinstance(cell, float) else number
