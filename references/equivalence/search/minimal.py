"""Takes rows and values away from a witness until none is left that the difference does not need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from references.equivalence.data.population import Population, TablePlan, frozen
from references.equivalence.pair import Found, Level
from references.equivalence.search.bench import PairBench
from references.equivalence.search.trials import Clock
from references.sandbox import Row

Rows = dict[str, list[Row]]


@dataclass(slots=True)
class _Shrinking:
    bench: PairBench
    clock: Clock
    best: Found
    rows: Rows

    def keeps(self, less: Mapping[str, list[Row]]) -> bool:
        """Whether the queries still differ on less, on no higher level; then that is the best."""
        data = self.best.data if all(less.values()) else max(self.best.data, Level.S6)
        sure = self.bench.confirmed(less, data) if data <= self.best.level else None
        if sure is None or sure > self.best.level:
            return False
        self.rows = dict(less)
        self.best = Found(level=sure, data=data, contents=frozen(less))
        return True


def smallest(bench: PairBench, population: Population, found: Found, clock: Clock) -> tuple[Found, bool]:
    """Returns the witness without rows and values that it does not need, and whether there was time for all of them.

    Children go before parents. A value is taken away by making it NULL, where the difference needs NULLs anyway.
    """
    state = _Shrinking(bench, clock, found, {name: list(rows) for name, rows in found.contents.items()})
    changed = True
    while changed:
        changed = False
        for plan in reversed(population.plans):
            for less in _fewer(state, plan):
                if clock.up():
                    return state.best, False
                changed = state.keeps(less) or changed
    return state.best, True


def _fewer(state: _Shrinking, plan: TablePlan) -> Iterator[Rows]:
    """Databases with fewer rows, then with fewer values, of the best one so far."""
    step = max(1, len(state.rows[plan.name]) // 2)
    while step:
        start = 0
        while start < len(state.rows[plan.name]):
            rows = state.rows[plan.name]
            yield {**state.rows, plan.name: rows[:start] + rows[start + step :]}
            start += step if state.rows[plan.name] is rows else 0
        step //= 2
    nulls = any(None in row for rows in state.rows.values() for row in rows)
    for index, place in _free(plan, state.rows[plan.name]) if nulls else ():
        rows = state.rows[plan.name]
        row = rows[index]
        less = (*row[:place], None, *row[place + 1 :])
        yield {**state.rows, plan.name: [*rows[:index], less, *rows[index + 1 :]]}


def _free(plan: TablePlan, rows: Sequence[Row]) -> list[tuple[int, int]]:
    """The values that may be NULL instead."""
    places = [place for place, slot in enumerate(plan.slots) if slot.column.nullable and not slot.key]
    return [(index, place) for index, row in enumerate(rows) for place in places if row[place] is not None]
