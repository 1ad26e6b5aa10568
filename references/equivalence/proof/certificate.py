"""The proof: runs both queries on a database of unknown rows, and asks the solver whether the results can differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import thread_time
from typing import Any

from sqlglot import exp

from references.equivalence.data.population import Population
from references.equivalence.proof.calendar import Calendar
from references.equivalence.proof.dates import moment_of
from references.equivalence.proof.logic import (
    Bit,
    Number,
    Unprovable,
    count,
    every,
    none,
    same,
    same_rows,
    some,
    z3,
)
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.queries import machine_over, result_of
from references.equivalence.proof.rows import Frame, Relation, UnknownRow
from references.equivalence.proof.texts import Texts
from references.equivalence.proof.unknown_data import (
    Assumptions,
    decoded,
    plain_values,
    unknown,
    valid_data,
    valid_dates,
)
from references.equivalence.reading.side import Side
from references.sandbox import Row
from references.semantics import Semantics

_FEWEST_MILLISECONDS = 50
_MOST_WORK = 40_000_000
"""The solver's own count of its work, for one question: some ten seconds. Unlike time, it ends each run alike."""
_WISHING = 0.4
"""Share of the work, and of the time that is left, for finding a database of plain values."""
_FIRST_YEARS: Mapping[str, int] = {"mysql": 1000, "singlestore": 1000}
"""The first year of a dialect's dates, where it is not 1."""


ANY = Assumptions(nulls=True, guesses=False, empty=True, ties=True)
"""All data that the declared keys and types allow."""
ORDINARY = Assumptions(nulls=False, guesses=True, empty=False, ties=False)
"""The data of level S0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The solver's answer for one number of rows."""

    equal: bool | None
    """`None` when it ran out of time or of work."""
    assumptions: tuple[str, ...] = ()
    computes_dates: bool = False
    """Whether it takes computed dates to be in the calendar."""
    contents: Mapping[str, tuple[Row, ...]] | None = None
    """A database on which the queries differ, according to the solver."""


def prove(
    a: Side, b: Side, population: Population, semantics: Semantics, rows: int, assumed: Assumptions, milliseconds: int
) -> Proof:
    """Asks whether the queries agree on every database with at most `rows` rows per table. Raises `Unprovable`.

    Columns of dates hold dates where the proof can read what the queries do with them, else any text.
    """
    if semantics is Semantics.LIST:
        raise Unprovable("the order of rows")
    attempt = _Attempt(a, b, population, semantics, rows, assumed, milliseconds, thread_time())
    if any(slot.dates is not None for plan in population.plans for slot in plan.slots):
        with suppress(Unprovable):
            return attempt.prove(dates=True)
    return attempt.prove(dates=False)


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One question to the solver."""

    a: Side
    b: Side
    population: Population
    semantics: Semantics
    rows: int
    assumed: Assumptions
    milliseconds: int
    began: float

    def _left(self) -> int:
        return self.milliseconds - int(1000 * (thread_time() - self.began))

    def _tick(self) -> None:
        if self._left() < 0:
            raise Unprovable("too many unknown rows for the time given")

    def prove(self, *, dates: bool) -> Proof:
        """Runs both queries on unknown rows, and asks."""
        population, assumed = self.population, self.assumed
        declared = [tree for rules in population.rules.values() for tree, _ in rules.trees]
        texts = Texts((self.a.tree, self.b.tree, *declared), self.a.folding)
        tables = {
            plan.name.lower(): unknown(plan, population.pools, self.rows, assumed, dates=dates)
            for plan in population.plans
        }
        calendar = Calendar(_FIRST_YEARS.get(self.a.dialect, 1))
        machine = machine_over(tables, texts, self._tick, calendar, dates=dates)
        left, right = result_of(machine, self.a.tree), result_of(machine, self.b.tree)
        calendar.relate([*self._days_read(tables.values())])
        facts = [
            *valid_data(population, tables, assumed),
            *_declared(population, machine),
            *machine.functions.facts,
            *calendar.order(),
        ]
        facts += [] if assumed.ties else [each for one in machine.assumptions.values() for each in one]
        facts += valid_dates(population, self.rows, calendar.first_year) if dates else []
        facts.append(some((none(_agree(left, right, self.semantics)), *map(none, machine.duties))))
        wishes = plain_values(tables, calendar)
        solver, found = self._asked(facts, [*calendar.definitions()], wishes)
        assumptions, computes = tuple(machine.assumptions), bool(calendar.bounds)
        if found == z3.sat:
            contents = decoded(solver.model(), population, tables, texts)
            return Proof(equal=False, assumptions=assumptions, computes_dates=computes, contents=contents)
        equal = True if found == z3.unsat else None
        return Proof(equal=equal, assumptions=assumptions, computes_dates=computes)

    def _days_read(self, tables: Iterable[Relation]) -> Iterator[Number]:
        """The days in columns that the queries name."""
        named = {each.name.lower() for side in (self.a, self.b) for each in side.tree.find_all(exp.Column)}
        for table in tables:
            places = [place for place, each in enumerate(table.headings) if each.name.lower() in named]
            moments = (moment_of(row.cells[place]) for row in table.rows for place in places)
            yield from (when.day for when in moments if when is not None)

    def _asked(self, facts: Sequence[Bit], definitions: Sequence[Bit], wishes: Sequence[Bit]) -> tuple[Any, Any]:
        """The solver and its answer. It learns the definitions only when the other facts do not decide.

        Of several databases, one of plain values is wished for.
        """
        solver = z3.Solver()
        solver.set("random_seed", 0)
        if self._told(solver, facts) == z3.unsat:
            return solver, z3.unsat
        solver.push()
        if self._told(solver, (*definitions, *wishes), _WISHING) == z3.sat:
            return solver, z3.sat
        solver.pop()
        return solver, self._told(solver, definitions)

    def _told(self, solver: Any, facts: Sequence[Bit], share: float = 1) -> Any:
        """The answer after further facts, within a share of the work and of the time that is left."""
        for fact in facts:
            _add(solver, fact)
        solver.set("rlimit", int(share * _MOST_WORK))
        solver.set("timeout", max(int(share * self._left()), _FEWEST_MILLISECONDS))
        return solver.check()


def _declared(population: Population, machine: Machine) -> list[Bit]:
    """The conditions that tables declare of their rows. The proof may leave out one that it does not cover."""
    facts: list[Bit] = []
    for name, rules in population.rules.items():
        table = machine.tables[name.lower()]
        for row in table.rows:
            frame = Frame(table.headings, row.cells, None)
            for tree, computes in rules.trees:
                with suppress(Unprovable):
                    facts.append(some((none(row.present), _obeyed(machine, tree, computes, frame))))
    return facts


def _obeyed(machine: Machine, tree: exp.Expr, computes: str | None, frame: Frame) -> Bit:
    if computes is None:
        return none(machine.truth(tree, frame).false)
    cell = frame.find("", computes)
    return True if cell is None else same(machine.term(tree, frame), cell)


def _add(solver: Any, fact: Bit) -> None:
    if fact is not True:
        solver.add(z3.BoolVal(fact) if isinstance(fact, bool) else fact)


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
