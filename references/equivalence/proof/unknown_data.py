"""Databases of unknown rows: their cells, what is valid data, and the databases that the solver finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from references.equivalence.data.population import Link, Population, Slot, TablePlan, ValuePool
from references.equivalence.proof.calendar import Calendar, exists
from references.equivalence.proof.logic import (
    Bit,
    Number,
    Sort,
    UnknownValue,
    every,
    none,
    same,
    same_rows,
    some,
    z3,
)
from references.equivalence.proof.rows import Heading, Relation, UnknownRow
from references.equivalence.proof.spellings import DAY, DAY_AND_TIMES, EITHER, FRACTIONS, INSTANT, MOMENT, Spelling
from references.equivalence.proof.texts import Texts, number_in
from references.sandbox import Row, Value
from references.schema import DateForm, ValueKind

_FLOATS = re.compile(r"REAL|FLOA|DOUB", re.IGNORECASE)
"""Declared types whose values SQLite always stores as floats."""
_FORMS: Mapping[DateForm, tuple[Spelling, int]] = {
    DateForm.DAY: (DAY, 1),
    DateForm.MOMENT: (MOMENT, 86_400),
    DateForm.INSTANT: (INSTANT, 86_400 * FRACTIONS),
    DateForm.EITHER: (EITHER, DAY_AND_TIMES),
}
"""How dates are spelled, and how many begin with one day."""
_LAST_FRACTION = FRACTIONS - 6
"""SQLite's functions round a later one to the next second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """What a proof assumes about the data."""

    nulls: bool
    """Whether nullable columns may hold NULL."""
    guesses: bool
    """Whether guessed keys and references hold."""
    empty: bool
    """Whether tables may be empty."""
    ties: bool
    """Whether rows may tie. Where SQLite may pick any row, it picks the first."""


_SORTS: Mapping[ValueKind, Sort] = {
    ValueKind.INTEGER: Sort.INTEGER,
    ValueKind.BOOLEAN: Sort.INTEGER,
    ValueKind.REAL: Sort.REAL,
    ValueKind.TEXT: Sort.TEXT,
    ValueKind.DATE: Sort.TEXT,
}


def _sort_of(pool: ValuePool) -> Sort:
    """Returns the sort of a pool's columns: text when they are compared with text, whatever their declared type."""
    texts = [each for each in (*pool.inside, *pool.beside) if isinstance(each, str)]
    if any(number_in(each) is None for each in texts):
        return Sort.TEXT
    if pool.kind is ValueKind.INTEGER and any(isinstance(each, float) for each in (*pool.inside, *pool.beside)):
        return Sort.REAL
    return _SORTS[pool.kind]


def unknown(plan: TablePlan, pools: Sequence[ValuePool], rows: int, assumed: Assumptions, *, dates: bool) -> Relation:
    """Makes a table with up to `rows` unknown rows."""
    nullable = _nullable(plan, assumed)
    sorts = [None if dates and slot.dates is not None else _sort_of(pools[slot.pool]) for slot in plan.slots]
    headings = tuple(Heading(plan.name.lower(), slot.column.name.lower()) for slot in plan.slots)
    made: list[UnknownRow] = []
    for index in range(rows):
        name = f"{plan.name.lower()}#{index}"
        cells = tuple(
            _unknown_cell(name, slot, sort, nullable=may)
            for slot, sort, may in zip(plan.slots, sorts, nullable, strict=True)
        )
        made.append(UnknownRow(z3.Bool(name) if index or assumed.empty else True, cells))
    return Relation(headings, tuple(made))


def _nullable(plan: TablePlan, assumed: Assumptions) -> list[bool]:
    """For each column, whether the assumptions and the table's keys allow NULL."""
    held = {spot for positions, guessed in plan.keys if assumed.guesses or not guessed for spot in positions}
    return [assumed.nulls and not (slot.key and spot in held) for spot, slot in enumerate(plan.slots)]


def _unknown_cell(row: str, slot: Slot, sort: Sort | None, *, nullable: bool) -> UnknownValue:
    """A cell of a sort; without one, a date."""
    if sort is None:
        return _unknown_date(row, slot, nullable=nullable)
    name = f"{row}.{slot.column.name.lower()}"
    return UnknownValue(
        null=z3.Bool(f"{name} null") if nullable and slot.column.nullable else False,
        value=z3.Real(name) if sort is Sort.REAL else z3.Int(name),
        sort=sort,
        affinity=sort,
        loose=sort is Sort.REAL and not _FLOATS.search(slot.column.declared),
    )


def _unknown_date(row: str, slot: Slot, *, nullable: bool) -> UnknownValue:
    assert slot.dates is not None  # noqa: S101 the caller looked
    name = f"{row}.{slot.column.name.lower()}"
    spelling, times = _FORMS[slot.dates]
    day = z3.Int(f"{name} day")
    return UnknownValue(
        null=z3.Bool(f"{name} null") if nullable and slot.column.nullable else False,
        value=day if times == 1 else day * times + z3.Int(f"{name} time"),
        sort=Sort.DATED,
        # SQLite compares such a column with a text that spells a number as with that number
        affinity=Sort.INTEGER,
        spelling=spelling,
    )


def valid_dates(population: Population, rows: int, first_year: int) -> list[Bit]:
    """Columns of dates hold days of the calendar."""
    facts: list[Bit] = []
    for plan in population.plans:
        for slot in plan.slots:
            for index in range(rows if slot.dates is not None else 0):
                name = f"{plan.name.lower()}#{index}.{slot.column.name.lower()}"
                facts.append(exists(z3.Int(f"{name} day"), first_year))
                facts += _valid_time(z3.Int(f"{name} time"), slot)
    return facts


def _valid_time(time: Number, slot: Slot) -> list[Bit]:
    """A time of day has no more digits after its seconds than its type allows."""
    times = _FORMS[slot.dates or DateForm.DAY][1]
    facts: list[Bit] = [time >= 0, time < times] if times > 1 else []
    if slot.dates is DateForm.INSTANT:
        finest = max(FRACTIONS // 10**slot.column.digits, 1)
        facts += [time % finest == 0, time % FRACTIONS <= _LAST_FRACTION]
    return facts


def plain_values(tables: Mapping[str, Relation], calendar: Calendar) -> list[Bit]:
    """Wishes for a database that is easy to read: no zeros, and dates near those of the queries."""
    facts: list[Bit] = []
    low, high = calendar.years()
    for relation in tables.values():
        for cell in (cell for row in relation.rows for cell in row.cells):
            if cell.spelling is not None:
                size = cell.spelling.size // 10_000
                facts += [cell.value >= low * size, cell.value < (high + 1) * size]
            elif cell.sort is not Sort.TEXT:
                facts.append(cell.value != 0)
    return facts


def valid_data(population: Population, tables: Mapping[str, Relation], assumed: Assumptions) -> list[Bit]:
    """Formulas that make a database valid: present rows come first, keys and references hold."""
    facts: list[Bit] = []
    for plan in population.plans:
        rows = tables[plan.name.lower()].rows
        facts.extend(some((none(after.present), row.present)) for row, after in pairwise(rows))
        facts.extend(_truths(plan, population.pools, rows))
        for positions, guessed in plan.keys:
            if guessed and not assumed.guesses:
                continue
            facts.extend(_apart(rows, positions))
    for link in population.links:
        if assumed.guesses or not link.guessed:
            facts.extend(_leads(link, tables))
    return facts


def _apart(rows: Sequence[UnknownRow], positions: Sequence[int]) -> list[Bit]:
    """No two rows agree in a key without NULLs."""
    facts: list[Bit] = []
    for index, row in enumerate(rows):
        for other in rows[:index]:
            alike = same_rows([row.cells[i] for i in positions], [other.cells[i] for i in positions])
            nulls = [row.cells[i].null for i in positions]
            facts.append(some((none(row.present), none(other.present), none(alike), *nulls)))
    return facts


def _truths(plan: TablePlan, pools: Sequence[ValuePool], rows: Sequence[UnknownRow]) -> list[Bit]:
    """Truth values are 0 or 1."""
    spots = [spot for spot, slot in enumerate(plan.slots) if pools[slot.pool].kind is ValueKind.BOOLEAN]
    cells = [row.cells[spot] for row in rows for spot in spots]
    return [some((cell.value == 0, cell.value == 1)) for cell in cells]


def _leads(link: Link, tables: Mapping[str, Relation]) -> list[Bit]:
    facts: list[Bit] = []
    parents = tables[link.parent.lower()].rows
    for row in tables[link.table.lower()].rows:
        cell = row.cells[link.position]
        there = some(every((each.present, same(cell, each.cells[link.parent_position]))) for each in parents)
        facts.append(some((none(row.present), cell.null, there)))
    return facts


def decoded(
    model: Any, population: Population, tables: Mapping[str, Relation], texts: Texts
) -> dict[str, tuple[Row, ...]]:
    """Decodes the solver's database."""
    contents: dict[str, tuple[Row, ...]] = {}
    for plan in population.plans:
        rows = tables[plan.name.lower()].rows
        there = [row for row in rows if _holds(model, row.present)]
        dated = [population.pools[slot.pool].kind is ValueKind.DATE for slot in plan.slots]
        contents[plan.name] = tuple(
            tuple(
                _value(model, cell, texts.day if day else texts.text)
                for cell, day in zip(row.cells, dated, strict=True)
            )
            for row in there
        )
    return contents


def _holds(model: Any, bit: Bit) -> bool:
    return bit if isinstance(bit, bool) else bool(z3.is_true(model.eval(bit, model_completion=True)))


def _value(model: Any, cell: UnknownValue, text: Callable[[int], str]) -> Value:
    if _holds(model, cell.null):
        return None
    found = model.eval(cell.value, model_completion=True)
    if cell.spelling is not None:
        return cell.spelling.text(int(found.as_long()))
    if cell.sort is Sort.TEXT:
        return text(int(found.as_long()))
    if cell.sort is Sort.INTEGER:
        return max(min(int(found.as_long()), 2**62), -(2**62))
    if z3.is_rational_value(found):
        return float(Fraction(found.numerator_as_long(), found.denominator_as_long()))
    return 1.5
