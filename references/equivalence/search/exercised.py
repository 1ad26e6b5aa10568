"""Says which part of two queries that seem equal decided no result, so that nothing was seen of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from references.equivalence.data.population import Population
from references.equivalence.facts.differing import Differing, differing, only_literals_differ
from references.equivalence.reading.side import Side
from references.equivalence.search.bench import PairBench
from references.equivalence.search.trials import Clock
from references.sandbox import Result, Row

_EVERY = 16
"""Databases between two looks at the clock."""


def unseen(
    bench: PairBench,
    sides: tuple[Side, Side],
    population: Population,
    tried: Sequence[Mapping[str, Sequence[Row]]],
    bound: int,
    clock: Clock,
) -> str | None:
    """Why it means little that no difference was found between two queries; `None` where it means something.

    A literal in which they differ must decide the result of its query on a database that was tried: another one
    instead must give other rows. Where they were proved equal up to `bound` rows, this is asked only of larger
    numbers that may count rows.
    """
    a, b = sides[0].tree, sides[1].tree
    if not bound and only_literals_differ(a, b):
        return "the queries differ in literals only, and no database that was tried depends on them"
    parts = differing(a, b, counts=population.counts, readings=not bound)
    asked = [each for each in parts if not bound or (each.number in population.counts and each.number > bound)]
    if not asked:
        return None
    open_parts = _Open(bench, (a.sql(dialect="sqlite"), b.sql(dialect="sqlite")), asked)
    for index, contents in enumerate(tried):
        if open_parts.done or (not index % _EVERY and clock.up()):
            break
        open_parts.run_on(contents)
    left = open_parts.left()
    return None if left is None else f"on no database that was tried does {left.shown} decide the result"


class _Open:
    """The parts that have not decided a result yet."""

    __slots__ = ("_asked", "_bench", "_groups", "_queries")

    def __init__(self, bench: PairBench, queries: tuple[str, str], asked: Sequence[Differing]) -> None:
        self._bench, self._queries, self._asked = bench, queries, asked
        self._groups = [[*each.instead] for each in asked]

    @property
    def done(self) -> bool:
        """Whether every part decided a result."""
        return not any(self._groups)

    def left(self) -> Differing | None:
        """The first part that did not."""
        return next((each for each, groups in zip(self._asked, self._groups, strict=True) if groups), None)

    def run_on(self, contents: Mapping[str, Sequence[Row]]) -> None:
        """Crosses off what decides the result on a database."""
        self._bench.fill(contents)
        results = [self._bench.rows(sql) for sql in self._queries]
        for place, (part, groups) in enumerate(zip(self._asked, self._groups, strict=True)):
            own = results[part.side]
            if own is not None:
                self._groups[place] = [group for group in groups if not self._decides(own, group)]

    def _decides(self, own: Result, instead: Sequence[str]) -> bool:
        for sql in instead:
            other = self._bench.rows(sql)
            if other is not None and other.rows != own.rows:
                return True
        return False
