"""Looks for a small database on which two queries give different results, lowest rung first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from references.equivalence.data.filling import Filler
from references.equivalence.data.population import Mood, Population, Spread, ValuePool, frozen, obeys
from references.equivalence.difference import difference
from references.equivalence.pair import Contents, Found, Rung, Witness
from references.equivalence.reading.side import Side
from references.equivalence.reading.ties import untied
from references.sandbox import Failure, Layout, Limits, Result, Row, Sandbox
from references.semantics import Semantics

TRIALS: Mapping[Rung, int] = {Rung.S0: 400, Rung.S1: 120, Rung.S2: 80, Rung.S6: 30, Rung.S7: 40}
"""Databases tried on each rung that has data of its own."""
_LARGEST = 45
"""Rows of a table that is filled to reach a size."""
_SLOW = 3
"""Queries over their limit after which a stage ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """What a search ended with."""

    found: Found | None
    trials: int
    exhausted: bool
    """Time ran out before all databases were tried."""


class PairBench:
    """Both queries on one throw-away database."""

    __slots__ = ("_a", "_b", "_population", "_sandbox", "_semantics", "_typeless", "_untied", "slow")

    def __init__(
        self, a: Side, b: Side, population: Population, semantics: Semantics, limits: Limits, *, typeless: bool
    ) -> None:
        self._a, self._b = a, b
        self._population = population
        self._semantics = semantics
        self._sandbox = Sandbox(population.layouts, limits, a.folding)
        self._typeless = (
            Sandbox([_untyped(each) for each in population.layouts], limits, a.folding) if typeless else None
        )
        self._untied: dict[int, tuple[str, ...]] = {}
        self.slow = 0

    def close(self) -> None:
        """Forgets the databases."""
        self._sandbox.close()
        if self._typeless is not None:
            self._typeless.close()

    def failures(self) -> tuple[Failure | None, Failure | None]:
        """Why each query cannot run at all, on empty tables."""
        self._sandbox.fill({})
        a, b = self._sandbox.run(self._a.sql), self._sandbox.run(self._b.sql)
        return (a if isinstance(a, Failure) else None, b if isinstance(b, Failure) else None)

    def results(self, contents: Mapping[str, Sequence[Row]]) -> tuple[Result, Result] | None:
        """Both results, or `None` where one of the queries gives none."""
        return self._both(self._sandbox, contents)

    def _both(self, sandbox: Sandbox, contents: Mapping[str, Sequence[Row]]) -> tuple[Result, Result] | None:
        sandbox.fill(contents)
        a = sandbox.run(self._a.sql)
        if isinstance(a, Failure):
            self.slow += 1
            return None
        b = sandbox.run(self._b.sql)
        if isinstance(b, Failure):
            self.slow += 1
            return None
        return a, b

    def differs(self, contents: Mapping[str, Sequence[Row]]) -> Rung | None:
        """How the results differ on a database, at a first look."""
        results = self.results(contents)
        return None if results is None else difference(*results, self._semantics)

    def confirmed(self, contents: Mapping[str, Sequence[Row]], rung: Rung) -> Rung | None:
        """The rung of a difference that lasts in whatever order the rows are entered; `None` of one that does not."""
        if not obeys(self._population, contents, rung):
            return None
        ahead, back = self.results(contents), self.results(reversed_rows(contents))
        if ahead is None or back is None:
            return None
        one, other = difference(*ahead, self._semantics), difference(*back, self._semantics)
        if one is None or other is None:
            return None
        tied = self._varies((ahead[0], back[0]), 0) or self._varies((ahead[1], back[1]), 1)
        needs = [rung, one, other, *([Rung.S3] if tied else [])]
        if self._typeless is not None and not self._differs_untyped(contents):
            needs.append(Rung.S7)
        return max(needs)

    def _differs_untyped(self, contents: Mapping[str, Sequence[Row]]) -> bool:
        if self._typeless is None:
            return True
        self._sandbox.fill(contents)
        stored = {plan.name: self._sandbox.stored(plan.name) for plan in self._population.plans}
        results = self._both(self._typeless, stored)
        return results is not None and difference(*results, self._semantics) is not None

    def _varies(self, results: Sequence[Result], side: int) -> bool:
        """Whether a query's result hangs on the order of rows or on how ties are broken (on the rows held now)."""
        if difference(results[0], results[1], self._semantics) is not None:
            return True
        for sql in self._variants(len(results[0].columns), side):
            other = self._sandbox.run(sql)
            if isinstance(other, Result) and difference(results[0], other, self._semantics) is not None:
                return True
        return False

    def _variants(self, width: int, side: int) -> tuple[str, ...]:
        if side not in self._untied:
            tree = (self._a, self._b)[side].tree
            self._untied[side] = untied(tree, width, listed=self._semantics is Semantics.LIST) or ()
        return self._untied[side]

    def witness(self, contents: Contents) -> Witness | None:
        """The database as SQLite holds it, with both results, run anew in both orders; `None` if it does not last."""
        self._sandbox.fill(contents)
        stored = {plan.name: self._sandbox.stored(plan.name) for plan in self._population.plans}
        sandbox = Sandbox(self._population.layouts, folding=self._a.folding)
        try:
            ahead = self._both(sandbox, stored)
            back = self._both(sandbox, reversed_rows(stored))
        finally:
            sandbox.close()
        if ahead is None or back is None or any(difference(*each, self._semantics) is None for each in (ahead, back)):
            return None
        columns = {plan.name: tuple(slot.column.name for slot in plan.slots) for plan in self._population.plans}
        return Witness(columns=columns, rows=stored, result_a=ahead[0], result_b=ahead[1])


def reversed_rows(contents: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """The same database, its rows entered last to first."""
    return {name: [*reversed(rows)] for name, rows in contents.items()}


def _untyped(layout: Layout) -> Layout:
    return Layout(name=layout.name, columns=tuple((name, "") for name, _ in layout.columns))


class Clock:
    """Says whether time is up; asked seldom."""

    def up(self) -> bool:
        """Whether to stop."""
        return False


def search(bench: PairBench, population: Population, seed: int, clock: Clock | None = None) -> Sought:
    """Tries databases rung by rung and keeps the difference on the lowest rung."""
    clock = clock or Clock()
    rng = Random(seed)  # noqa: S311 - the same pair is searched the same way each time
    state = _Search(bench, Filler(population, rng))
    for rung in _stages(population):
        if state.best is not None and state.best.rung <= rung:
            break
        bench.slow = 0
        for index in range(TRIALS[rung]):
            if bench.slow >= _SLOW or (not index % 8 and clock.up()):
                break
            if state.tries(mood(population, rung, index, rng)):
                return Sought(found=state.best, trials=state.trials, exhausted=False)
    return Sought(found=state.best, trials=state.trials, exhausted=clock.up())


@dataclass(slots=True)
class _Search:
    """A search that is under way."""

    bench: PairBench
    filler: Filler
    best: Found | None = None
    trials: int = 0

    def tries(self, mood: Mood) -> bool:
        """Tries one database; returns whether it ends the search, since no later one can do better."""
        self.trials += 1
        contents = self.filler.fill(mood)
        seen = self.bench.differs(contents)
        if seen is None or not self._improves(max(seen, mood.rung)):
            return False
        sure = self.bench.confirmed(contents, mood.rung)
        if sure is None or not self._improves(sure):
            return False
        self.best = Found(rung=sure, data=mood.rung, contents=frozen(contents))
        return sure <= mood.rung

    def _improves(self, rung: Rung) -> bool:
        return self.best is None or rung < self.best.rung


def _stages(population: Population) -> Iterator[Rung]:
    yield Rung.S0
    if population.nullable:
        yield Rung.S1
    if population.guessed:
        yield Rung.S2
    yield Rung.S6
    if any(pool.swapped for pool in population.pools):
        yield Rung.S7


def mood(population: Population, rung: Rung, index: int, rng: Random) -> Mood:
    """How the database of a trial is filled: small and plain first, then whatever reaches a size."""
    rows = {plan.name: rng.choice((1, 2, 2, 3, 4) if index else (1,)) for plan in population.plans}
    usual = rng.choice((Spread.FEW, Spread.MANY))
    spread: Sequence[Spread] = [usual] * len(population.pools)
    if population.sizes and index % 2:
        _enlarge(population, rows, rng)
        spread = [_spread(pool, rng) for pool in population.pools]
    if rung is Rung.S6 and population.plans:
        rows[rng.choice(population.plans).name] = 0
    return Mood(rung=rung, rows=rows, spread=spread, inside=rng.choice((0.95, 0.8, 0.5)), own=rng.random() < 0.5)


def _enlarge(population: Population, rows: dict[str, int], rng: Random) -> None:
    """Gives one table, or all, about as many rows as a LIMIT, a HAVING or a rank counts."""
    size = rng.choice(population.sizes)
    focus = rng.choice(population.plans).name
    whole = rng.random() < 0.4
    for name in rows:
        if whole or name == focus:
            rows[name] = min(size + rng.choice((0, 1, 1, 2)), _LARGEST)


def _spread(pool: ValuePool, rng: Random) -> Spread:
    chance = rng.random()
    if pool.inside and chance < 0.5:
        return Spread.SAME
    if pool.grouped:
        return Spread.SAME if chance < 0.8 else Spread.FEW
    return rng.choice((Spread.SAME, Spread.FEW, Spread.MANY, Spread.MANY))


def smallest(bench: PairBench, population: Population, found: Found) -> Found:
    """The same difference with rows left out, as long as it stays on its rung; children go before parents."""
    best = found
    contents = {name: list(rows) for name, rows in found.contents.items()}
    for plan in reversed(population.plans):
        step = max(1, len(contents[plan.name]) // 2)
        while step:
            start = 0
            while start < len(contents[plan.name]):
                less = {**contents, plan.name: contents[plan.name][:start] + contents[plan.name][start + step :]}
                sure = bench.confirmed(less, found.data)
                if sure is not None and sure <= best.rung:
                    contents, best = less, Found(rung=sure, data=found.data, contents=frozen(less))
                else:
                    start += step
            step //= 2
    return best
