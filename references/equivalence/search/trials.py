"""Searches a small database on which two queries give different results, lowest level first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from references.equivalence.data.filling import Filler
from references.equivalence.data.population import FillStyle, Population, Spread, ValuePool, frozen
from references.equivalence.pair import Found, Level
from references.equivalence.search.bench import PairBench
from references.sandbox import Row

TRIALS: Mapping[Level, int] = {Level.S0: 400, Level.S1: 120, Level.S2: 80, Level.S6: 30, Level.S7: 40}
"""Databases tried on each level."""
_LARGEST = 45
"""The most rows of a table."""
_MOST_COUNTED = 600
"""The most rows of a table where a query counts so many; databases of that size are tried last."""
_COUNTS = 4
"""The most numbers for which they are tried."""
_LARGE_TRIALS = 9
"""Databases of about that many rows."""
_SLOW = 3
"""Failed queries after which a level is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The outcome of a search."""

    found: Found | None
    trials: int
    exhausted: bool
    """Whether time ran out before all databases were tried."""
    tried: Sequence[Mapping[str, Sequence[Row]]] = ()
    """All of them, where no difference was found."""


class Clock:
    """Says whether time is up. This one never is."""

    def up(self) -> bool:
        """Whether to stop."""
        return False


def search(bench: PairBench, population: Population, seed: int, clock: Clock | None = None) -> SearchResult:
    """Tries databases level by level and keeps the difference on the lowest level."""
    clock = clock or Clock()
    rng = Random(seed)  # noqa: S311 - the same pair is searched the same way each time
    state = _Search(bench, Filler(population, rng))
    for level in _stages(population):
        if state.best is not None and state.best.level <= level:
            break
        bench.slow = 0
        for index in range(TRIALS[level]):
            if bench.slow >= _SLOW or (not index % 8 and clock.up()):
                break
            if state.try_database(fill_style(population, level, index, rng)):
                return SearchResult(found=state.best, trials=state.trials, exhausted=False)
    if state.best is None:
        _try_large(state, bench, clock, rng)
    return SearchResult(found=state.best, trials=state.trials, exhausted=clock.up(), tried=state.tried)


def _try_large(state: _Search, bench: PairBench, clock: Clock, rng: Random) -> None:
    """Tries ordinary databases of which one table has as many rows as a query counts, where those are many."""
    population = state.filler.population
    counts = sorted(each for each in population.counts if _LARGEST - 5 < each <= _MOST_COUNTED)
    bench.slow = 0
    for count in counts[:_COUNTS]:
        for index in range(_LARGE_TRIALS):
            if bench.slow >= _SLOW or clock.up() or not population.plans:
                return
            if state.try_database(_large_style(population, count + index % 3, rng)):
                return


def _large_style(population: Population, size: int, rng: Random) -> FillStyle:
    focus = rng.choice(population.plans).name
    rows = {plan.name: size if plan.name == focus else rng.choice((1, 2, 3)) for plan in population.plans}
    spread = [_spread(pool, rng) for pool in population.pools]
    return FillStyle(level=Level.S0, rows=rows, spread=spread, inside=0.95, own=rng.random() < 0.5)


@dataclass(slots=True)
class _Search:
    """A search that is under way."""

    bench: PairBench
    filler: Filler
    best: Found | None = None
    trials: int = 0
    tried: list[Mapping[str, Sequence[Row]]] = field(default_factory=list[Mapping[str, Sequence[Row]]])

    def try_database(self, style: FillStyle) -> bool:
        """Tries one database; returns whether it ends the search, since no later one can do better."""
        self.trials += 1
        contents = self.filler.fill(style)
        self.tried.append(contents)
        seen = self.bench.differs(contents)
        if seen is None:
            return False
        level = needed(self.filler.population, contents, style.level)
        if not self._improves(max(seen, level)):
            return False
        sure = self.bench.confirmed(contents, level)
        if sure is None or not self._improves(sure):
            return False
        self.best = Found(level=sure, data=level, contents=frozen(contents))
        return sure <= style.level

    def _improves(self, level: Level) -> bool:
        return self.best is None or level < self.best.level


def needed(population: Population, contents: Mapping[str, Sequence[Row]], level: Level) -> Level:
    """The level that a database needs: S0 when it makes no use of what its level allows."""
    cells = {cell for rows in contents.values() for row in rows for cell in row}
    uses = {
        Level.S1: None in cells,
        Level.S6: not all(contents.values()),
        Level.S7: any(cells & set(pool.swapped) for pool in population.pools),
    }
    return level if uses.get(level, True) else Level.S0


def _stages(population: Population) -> Iterator[Level]:
    yield Level.S0
    if population.nullable:
        yield Level.S1
    if population.guessed:
        yield Level.S2
    yield Level.S6
    if any(pool.swapped for pool in population.pools):
        yield Level.S7


def fill_style(population: Population, level: Level, index: int, rng: Random) -> FillStyle:
    """Chooses how a trial's database is filled: the first is small, later ones reach sizes that the queries count."""
    rows = {plan.name: rng.choice((1, 2, 2, 3, 4) if index else (1,)) for plan in population.plans}
    usual = rng.choice((Spread.FEW, Spread.MANY))
    spread: Sequence[Spread] = [usual] * len(population.pools)
    if population.sizes and index % 2:
        _enlarge(population, rows, rng)
        spread = [_spread(pool, rng) for pool in population.pools]
    if level is Level.S6 and population.plans:
        rows[rng.choice(population.plans).name] = 0
    return FillStyle(level=level, rows=rows, spread=spread, inside=rng.choice((0.95, 0.8, 0.5)), own=rng.random() < 0.5)


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
