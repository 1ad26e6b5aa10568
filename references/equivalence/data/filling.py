"""Fills small databases in which keys and references hold, unless the level allows otherwise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from random import Random
from typing import TypeVar

from references.equivalence.data.population import FillStyle, Link, Population, Slot, Spread, TablePlan, ValuePool
from references.equivalence.facts.date_steps import around
from references.equivalence.pair import Level
from references.sandbox import Row, Value
from references.schema import ValueKind

_T = TypeVar("_T")
_REDRAWS = 16
"""How often a row that breaks a condition gets other values."""
_FRESH = 40
"""Fresh values that rows draw from."""
_WIDEST_KEY = 4
"""Columns of a key whose combinations are tried."""


class Filler:
    """Fills databases one after the other."""

    __slots__ = ("_rng", "population")

    def __init__(self, population: Population, rng: Random) -> None:
        self.population = population
        self._rng = rng

    def fill(self, style: FillStyle) -> dict[str, list[Row]]:
        """Fills a database; keys and references hold unless the level allows otherwise."""
        active = [self._active(pool, style) for pool in self.population.pools]
        contents: dict[str, list[Row]] = {}
        for plan in self.population.plans:
            contents[plan.name] = self._rows(plan, active, contents, style)
        for link in self.population.links:
            if link.late and not (link.guessed and style.level is Level.S2):
                self._lead(link, contents)
        return contents

    def _lead(self, link: Link, contents: dict[str, list[Row]]) -> None:
        """Points the rows of a table to rows of a table that was filled later, or of the same table."""
        there = [row[link.parent_position] for row in contents[link.parent]]
        rows = contents[link.table]
        for index, row in enumerate(rows):
            if row[link.position] is not None and row[link.position] not in there and there:
                rows[index] = (*row[: link.position], self._rng.choice(there), *row[link.position + 1 :])

    def _active(self, pool: ValuePool, style: FillStyle) -> list[Value]:
        """Picks the few values that a pool has in one database."""
        rng, chosen = self._rng, list[Value]()
        few = bool(pool.inside) and rng.random() < 0.4
        for _ in range(1 if few else rng.choice((1, 2, 2, 3, 3))):
            if style.level is Level.S7 and pool.swapped and rng.random() < 0.5:
                chosen.append(rng.choice(pool.swapped))
            elif pool.inside and rng.random() < style.inside:
                chosen.append(rng.choice(pool.inside))
            elif pool.beside and rng.random() < 0.5:
                chosen.append(rng.choice(pool.beside))
            else:
                chosen.append(rng.choice(pool.own if style.own else pool.shared))
        return chosen

    def _rows(
        self, plan: TablePlan, active: Sequence[list[Value]], contents: Mapping[str, list[Row]], style: FillStyle
    ) -> list[Row]:
        rows: list[Row] = []
        held = [positions for positions, guessed in plan.keys if not (guessed and style.level is Level.S2)]
        seen: list[set[Row]] = [set() for _ in held]
        for index in range(style.rows[plan.name]):
            row = self._row(plan, active, contents, style, index)
            if row is not None and self.population.steps:
                self._step(plan, row)
            row = self._lawful(plan, row) if row is not None and plan.name in self.population.rules else row
            if row is not None and self._keyed(plan, row, held, seen, active, index):
                rows.append(tuple(row))
        return rows

    def _row(
        self,
        plan: TablePlan,
        active: Sequence[list[Value]],
        contents: Mapping[str, list[Row]],
        style: FillStyle,
        index: int,
    ) -> list[Value] | None:
        row: list[Value] = []
        empties, spreads, draw = style.level is Level.S1, style.spread, self._rng.random
        for slot in plan.slots:
            spread = spreads[slot.pool]
            nullable = empties and slot.column.nullable and not slot.key
            if slot.parent is not None and not self._breaks_reference(slot, style):
                parents = contents[slot.parent[0]]
                if not parents and not nullable:
                    return None
                value = self._deal(parents, spread, index)[slot.parent[1]] if parents else None
            elif spread is Spread.MANY and index >= len(active[slot.pool]):
                value = self.population.pools[slot.pool].fresh(self._rng.randrange(_FRESH))
            else:
                value = self._deal(active[slot.pool], spread, index)
            value = slot.fit(value)
            row.append(None if nullable and draw() < slot.nulls else value)
        return row

    def _step(self, plan: TablePlan, row: list[Value]) -> None:
        """In half of the rows, puts a date as far from another as the queries compare dates to be."""
        free = [
            place
            for place, slot in enumerate(plan.slots)
            if self.population.pools[slot.pool].kind is ValueKind.DATE
            and slot.parent is None
            and row[place] is not None
        ]
        if not free or self._rng.random() < 0.5:
            return
        place = self._rng.choice(free)
        pool = self.population.pools[plan.slots[place].pool]
        others = [row[each] for each in free if each != place]
        bases = others if others and self._rng.random() < 0.7 else [*pool.inside, *pool.beside]
        base = self._rng.choice(bases) if bases else None
        found = around(str(base), self._rng.choice(self.population.steps), self._rng.choice((1, -1)))
        if found:
            row[place] = plan.slots[place].fit(self._rng.choice(found))

    def _lawful(self, plan: TablePlan, row: list[Value]) -> list[Value] | None:
        """The row with other values where it breaks a condition of its table; `None` when none were found."""
        rules = self.population.rules[plan.name]
        for _ in range(_REDRAWS):
            kept = rules.computed(tuple(row))
            broken = rules.broken(kept)
            if not broken:
                return [*kept]
            row = [*kept]
            for place in sorted(rules.sources(broken)):
                slot = plan.slots[place]
                pool = self.population.pools[slot.pool]
                if slot.parent is None:
                    row[place] = slot.fit(self._rng.choice((*pool.inside, *pool.beside, *pool.shared)))
        return None

    def _deal(self, values: Sequence[_T], spread: Spread, index: int) -> _T:
        if spread is Spread.SAME:
            return values[0]
        return values[index % len(values)] if spread is Spread.MANY else self._rng.choice(values)

    def _breaks_reference(self, slot: Slot, style: FillStyle) -> bool:
        """Whether a guessed reference is broken here."""
        return style.level is Level.S2 and slot.guessed and self._rng.random() < 0.5

    def _keyed(
        self,
        plan: TablePlan,
        row: list[Value],
        held: Sequence[tuple[int, ...]],
        seen: Sequence[set[Row]],
        active: Sequence[list[Value]],
        index: int,
    ) -> bool:
        """Makes the row's keys unique. Returns `False` when that is not possible."""
        for number, positions in enumerate(held):
            key = tuple(row[each] for each in positions)
            if (
                None not in key
                and key in seen[number]
                and not self._renew(plan, row, positions, seen[number], active, index)
            ):
                return False
        for number, positions in enumerate(held):
            seen[number].add(tuple(row[each] for each in positions))
        return True

    def _renew(
        self,
        plan: TablePlan,
        row: list[Value],
        positions: tuple[int, ...],
        taken: set[Row],
        active: Sequence[list[Value]],
        index: int,
    ) -> bool:
        """Gives the free columns of a key a combination of values that is not taken."""
        free = [each for each in positions if plan.slots[each].parent is None][:_WIDEST_KEY]
        if not free:
            return False
        choices = [[*active[plan.slots[each].pool]] for each in free]
        pool = self.population.pools[plan.slots[free[-1]].pool]
        # the first is taken where a row drew it by chance
        choices[-1] += [pool.fresh(index), pool.fresh(_FRESH + index)]
        for values in product(*choices):
            for each, value in zip(free, values, strict=True):
                row[each] = plan.slots[each].fit(value)
            if tuple(row[each] for each in positions) not in taken:
                return True
        return False
