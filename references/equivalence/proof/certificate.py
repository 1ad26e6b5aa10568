"""The proof: runs both queries on a database of unknown rows, and asks the solver whether the results can differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from time import thread_time
from typing import Any

from references.equivalence.data.population import Link, Population, Slot, TablePlan, ValuePool
from references.equivalence.proof.logic import (
    Bit,
    Sort,
    UnknownValue,
    Unprovable,
    count,
    every,
    none,
    same,
    same_rows,
    some,
    z3,
)
from references.equivalence.proof.queries import machine_over, result_of
from references.equivalence.proof.rows import Heading, Relation, UnknownRow
from references.equivalence.proof.texts import Texts, number_in
from references.equivalence.reading.side import Side
from references.sandbox import Row, Value
from references.schema import ValueKind
from references.semantics import Semantics

_FLOATS = re.compile(r"REAL|FLOA|DOUB", re.IGNORECASE)
"""Declared types whose values SQLite always stores as floats."""
_FEWEST_MILLISECONDS = 50


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


ANY = Assumptions(nulls=True, guesses=False, empty=True, ties=True)
"""All data that the declared keys and types allow."""
ORDINARY = Assumptions(nulls=False, guesses=True, empty=False, ties=False)
"""The data of level S0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The solver's answer for one number of rows."""

    equal: bool | None
    """`None` when it ran out of time."""
    assumptions: tuple[str, ...] = ()
    contents: Mapping[str, tuple[Row, ...]] | None = None
    """A database on which the queries differ, according to the solver."""


def prove(
    a: Side, b: Side, population: Population, semantics: Semantics, rows: int, assumed: Assumptions, milliseconds: int
) -> Proof:
    """Asks whether the queries agree on every database with at most `rows` rows per table. Raises `Unprovable`."""
    if semantics is Semantics.LIST:
        raise Unprovable("the order of rows")
    texts = Texts((a.tree, b.tree), a.folding)
    tables = {plan.name.lower(): _unknown(plan, population.pools, rows, assumed) for plan in population.plans}
    began = thread_time()

    def tick() -> None:
        if 1000 * (thread_time() - began) > milliseconds:
            raise Unprovable("too many unknown rows for the time given")

    machine = machine_over(tables, texts, tick)
    left, right = result_of(machine, a.tree), result_of(machine, b.tree)
    solver = z3.Solver()
    left_over = milliseconds - int(1000 * (thread_time() - began))
    solver.set("timeout", max(left_over, _FEWEST_MILLISECONDS))
    solver.set("random_seed", 0)
    for fact in (*_valid_data(population, tables, assumed), *machine.functions.facts):
        _add(solver, fact)
    for facts in () if assumed.ties else machine.assumptions.values():
        for fact in facts:
            _add(solver, fact)
    _add(solver, some((none(_agree(left, right, semantics)), *map(none, machine.duties))))
    found = solver.check()
    assumptions = tuple(machine.assumptions)
    if found == z3.unsat:
        return Proof(equal=True, assumptions=assumptions)
    if found == z3.sat:
        return Proof(equal=False, assumptions=assumptions, contents=_decoded(solver.model(), population, tables, texts))
    return Proof(equal=None, assumptions=assumptions)


def _add(solver: Any, fact: Bit) -> None:
    if fact is not True:
        solver.add(z3.BoolVal(fact) if isinstance(fact, bool) else fact)


_SORTS: Mapping[ValueKind, Sort] = {
    ValueKind.INTEGER: Sort.INTEGER,
    ValueKind.BOOLEAN: Sort.INTEGER,
    ValueKind.REAL: Sort.REAL,
    ValueKind.TEXT: Sort.TEXT,
    ValueKind.DATE: Sort.TEXT,
}


def sort_of(pool: ValuePool) -> Sort:
    """Returns the sort of a pool's columns: text when they are compared with text, whatever their declared type."""
    texts = [each for each in (*pool.inside, *pool.beside) if isinstance(each, str)]
    if any(number_in(each) is None for each in texts):
        return Sort.TEXT
    if pool.kind is ValueKind.INTEGER and any(isinstance(each, float) for each in (*pool.inside, *pool.beside)):
        return Sort.REAL
    return _SORTS[pool.kind]


def _unknown(plan: TablePlan, pools: Sequence[ValuePool], rows: int, assumed: Assumptions) -> Relation:
    """Makes a table with up to `rows` unknown rows."""
    keyed = {spot for positions, guessed in plan.keys if assumed.guesses or not guessed for spot in positions}
    headings = tuple(Heading(plan.name.lower(), slot.column.name.lower()) for slot in plan.slots)
    made: list[UnknownRow] = []
    for index in range(rows):
        name = f"{plan.name.lower()}#{index}"
        cells = tuple(
            _unknown_cell(name, slot, sort_of(pools[slot.pool]), nullable=assumed.nulls and spot not in keyed)
            for spot, slot in enumerate(plan.slots)
        )
        made.append(UnknownRow(z3.Bool(name) if index or assumed.empty else True, cells))
    return Relation(headings, tuple(made))


def _unknown_cell(row: str, slot: Slot, sort: Sort, *, nullable: bool) -> UnknownValue:
    name = f"{row}.{slot.column.name.lower()}"
    return UnknownValue(
        null=z3.Bool(f"{name} null") if nullable and slot.column.nullable else False,
        value=z3.Real(name) if sort is Sort.REAL else z3.Int(name),
        sort=sort,
        affinity=sort,
        loose=sort is Sort.REAL and not _FLOATS.search(slot.column.declared),
    )


def _valid_data(population: Population, tables: Mapping[str, Relation], assumed: Assumptions) -> list[Bit]:
    """Formulas that make a database valid: present rows come first, keys and references hold."""
    facts: list[Bit] = []
    for plan in population.plans:
        rows = tables[plan.name.lower()].rows
        facts.extend(some((none(after.present), row.present)) for row, after in pairwise(rows))
        facts.extend(_truths(plan, population.pools, rows))
        for positions, guessed in plan.keys:
            if guessed and not assumed.guesses:
                continue
            for index, row in enumerate(rows):
                for other in rows[:index]:
                    alike = same_rows([row.cells[i] for i in positions], [other.cells[i] for i in positions])
                    facts.append(some((none(row.present), none(other.present), none(alike))))
    for link in population.links:
        if assumed.guesses or not link.guessed:
            facts.extend(_leads(link, tables))
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


def _agree(left: Relation, right: Relation, semantics: Semantics) -> Bit:
    if len(left.headings) != len(right.headings):
        return none(some(row.present for row in (*left.rows, *right.rows)))
    if semantics is Semantics.SET:
        return every((_contained(left, right), _contained(right, left)))
    return every(_as_often(row, left, right) for relation in (left, right) for row in relation.rows)


def _contained(left: Relation, right: Relation) -> Bit:
    return every(
        some((none(row.present), *(every((each.present, same_rows(row.cells, each.cells))) for each in right.rows)))
        for row in left.rows
    )


def _as_often(row: UnknownRow, left: Relation, right: Relation) -> Bit:
    here, there = (
        count(every((each.present, same_rows(row.cells, each.cells))) for each in relation.rows)
        for relation in (left, right)
    )
    return some((none(row.present), here.value == there.value))


def _decoded(
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
    if cell.sort is Sort.TEXT:
        return text(int(found.as_long()))
    if cell.sort is Sort.INTEGER:
        return max(min(int(found.as_long()), 2**62), -(2**62))
    if z3.is_rational_value(found):
        return float(Fraction(found.numerator_as_long(), found.denominator_as_long()))
    return 1.5
