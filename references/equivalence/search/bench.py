"""Runs both queries of a pair on throw-away databases and compares their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from references.equivalence.data.population import Population, obeys
from references.equivalence.difference import difference_level
from references.equivalence.pair import Contents, Level, Witness
from references.equivalence.reading.side import Side
from references.equivalence.reading.ties import untied
from references.sandbox import Failure, Layout, Limits, Result, Row, Sandbox
from references.semantics import Semantics


class PairBench:
    """Both queries with a throw-away database."""

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
        """Discards the databases."""
        self._sandbox.close()
        if self._typeless is not None:
            self._typeless.close()

    def failures(self) -> tuple[Failure | None, Failure | None]:
        """Returns why each query fails on empty tables, or `None` when it runs."""
        self._sandbox.fill({})
        a, b = self._sandbox.run(self._a.sql), self._sandbox.run(self._b.sql)
        return (a if isinstance(a, Failure) else None, b if isinstance(b, Failure) else None)

    def fill(self, contents: Mapping[str, Sequence[Row]]) -> None:
        """Fills the database for `rows`."""
        self._sandbox.fill(contents)

    def rows(self, sql: str) -> Result | None:
        """The result of any query on the current rows; `None` when it fails."""
        found = self._sandbox.run(sql)
        return found if isinstance(found, Result) else None

    def results(self, contents: Mapping[str, Sequence[Row]]) -> tuple[Result, Result] | None:
        """Returns both results, or `None` when one of the queries fails."""
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

    def differs(self, contents: Mapping[str, Sequence[Row]]) -> Level | None:
        """Returns the level on which the results differ, without confirming it."""
        results = self.results(contents)
        return None if results is None else difference_level(*results, self._semantics)

    def confirmed(self, contents: Mapping[str, Sequence[Row]], level: Level) -> Level | None:
        """Returns the level of a difference that remains when the rows are entered in reverse, else `None`."""
        if not obeys(self._population, contents, level):
            return None
        ahead, back = self.results(contents), self.results(reversed_rows(contents))
        if ahead is None or back is None:
            return None
        one, other = difference_level(*ahead, self._semantics), difference_level(*back, self._semantics)
        if one is None or other is None:
            return None
        tied = self._varies((ahead[0], back[0]), 0) or self._varies((ahead[1], back[1]), 1)
        needs = [level, one, other, *([Level.S3] if tied else [])]
        if self._typeless is not None and not self._differs_untyped(contents):
            needs.append(Level.S7)
        return max(needs)

    def _differs_untyped(self, contents: Mapping[str, Sequence[Row]]) -> bool:
        if self._typeless is None:
            return True
        self._sandbox.fill(contents)
        stored = {plan.name: self._sandbox.stored(plan.name) for plan in self._population.plans}
        results = self._both(self._typeless, stored)
        return results is not None and difference_level(*results, self._semantics) is not None

    def _varies(self, results: Sequence[Result], side: int) -> bool:
        """Whether a query's result depends on the order of rows or on ties, given the current rows."""
        if difference_level(results[0], results[1], self._semantics) is not None:
            return True
        for sql in self._variants(len(results[0].columns), side):
            other = self._sandbox.run(sql)
            if isinstance(other, Result) and difference_level(results[0], other, self._semantics) is not None:
                return True
        return False

    def _variants(self, width: int, side: int) -> tuple[str, ...]:
        if side not in self._untied:
            tree = (self._a, self._b)[side].tree
            self._untied[side] = untied(tree, width, listed=self._semantics is Semantics.LIST) or ()
        return self._untied[side]

    def witness(self, contents: Contents) -> Witness | None:
        """Runs both queries again, in both orders of rows. Returns the witness, or `None` without a difference."""
        self._sandbox.fill(contents)
        stored = {plan.name: self._sandbox.stored(plan.name) for plan in self._population.plans}
        sandbox = Sandbox(self._population.layouts, folding=self._a.folding)
        try:
            ahead = self._both(sandbox, stored)
            back = self._both(sandbox, reversed_rows(stored))
        finally:
            sandbox.close()
        if (
            ahead is None
            or back is None
            or any(difference_level(*each, self._semantics) is None for each in (ahead, back))
        ):
            return None
        columns = {plan.name: tuple(slot.column.name for slot in plan.slots) for plan in self._population.plans}
        return Witness(columns=columns, rows=stored, result_a=ahead[0], result_b=ahead[1])


def reversed_rows(contents: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Returns the same database with its rows in reverse."""
    return {name: [*reversed(rows)] for name, rows in contents.items()}


def _untyped(layout: Layout) -> Layout:
    return Layout(name=layout.name, columns=tuple((name, "") for name, _ in layout.columns))
