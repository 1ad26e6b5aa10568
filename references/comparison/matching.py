"""Finds the columns of a reference in an answer by their values, never by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from references.comparison.results import PlainRow, PlainValue, columns_of

MOST_STEPS = 20_000
"""Steps after which the search gives up."""


Fits: TypeAlias = Callable[[Iterable[PlainValue], Iterable[PlainValue]], bool]
"""Whether values of the reference (first) and of the answer can be the same column or rows."""


def as_bag(ours: Iterable[PlainValue], theirs: Iterable[PlainValue]) -> bool:
    """Whether both hold the same values, each as often."""
    return Counter(ours) == Counter(theirs)


def as_set(ours: Iterable[PlainValue], theirs: Iterable[PlainValue]) -> bool:
    """Whether both hold the same values, however often."""
    return set(ours) == set(theirs)


def as_part(ours: Iterable[PlainValue], theirs: Iterable[PlainValue]) -> bool:
    """Whether no value of `theirs` occurs more often than in `ours`: a LIMIT may keep other rows of a tie."""
    return Counter(theirs) <= Counter(ours)


def column_maps(
    ours: Sequence[PlainRow], theirs: Sequence[PlainRow], widths: tuple[int, int], fits: Fits
) -> Iterator[list[int]]:
    """Yields ways to find each column of `ours` in `theirs` such that the rows fit too.

    A map gives the place in `theirs` of each column of `ours`. Equal columns of `theirs` are one choice.

    >>> list(column_maps([(1, "a"), (2, "b")], [("b", 9, 2), ("a", 9, 1)], (2, 3), as_bag))
    [[2, 0]]
    >>> list(column_maps([(1, 2), (2, 1)], [(1, 1), (2, 2)], (2, 2), as_bag))
    []
    """
    width, other = widths
    if width > other:
        return
    own, found = columns_of(ours, width), columns_of(theirs, other)
    copies = Counter(found)
    distinct = list(dict.fromkeys(found))
    candidates = [[place for place, other in enumerate(distinct) if fits(column, other)] for column in own]
    if not all(candidates):
        return
    search = _ColumnSearch(own, distinct, candidates, [copies[each] for each in distinct], fits)
    yield from ([found.index(distinct[place]) for place in placed] for placed in search.maps())


class _ColumnSearch:
    """Backtracks over columns, fewest candidates first. A partial map must fit row by row."""

    def __init__(
        self,
        own: Sequence[Sequence[PlainValue]],
        found: Sequence[Sequence[PlainValue]],
        candidates: Sequence[Sequence[int]],
        copies: Sequence[int],
        fits: Fits,
    ) -> None:
        self._own, self._found, self._candidates, self._copies, self._fits = own, found, candidates, copies, fits
        self._order = sorted(range(len(own)), key=lambda place: len(candidates[place]))
        self._steps = 0

    def maps(self) -> Iterator[list[int]]:
        """Yields every complete map until the steps are used up."""
        yield from self._extend([])

    def _extend(self, taken: list[int]) -> Iterator[list[int]]:
        if len(taken) == len(self._order):
            placed = dict(zip(self._order, taken, strict=True))
            yield [placed[place] for place in range(len(placed))]
            return
        for candidate in self._candidates[self._order[len(taken)]]:
            self._steps += 1
            if self._steps > MOST_STEPS:
                return
            reached = [*taken, candidate]
            if taken.count(candidate) < self._copies[candidate] and self._fit(reached):
                yield from self._extend(reached)

    def _fit(self, taken: Sequence[int]) -> bool:
        ours = zip(*(self._own[place] for place in self._order[: len(taken)]), strict=True)
        theirs = zip(*(self._found[place] for place in taken), strict=True)
        return self._fits(ours, theirs)


def projected(rows: Sequence[PlainRow], places: Sequence[int]) -> list[PlainRow]:
    """Returns the rows with these columns only, in this order.

    >>> projected([(1, 2, 3)], [2, 0])
    [(3, 1)]
    """
    return [tuple(row[place] for place in places) for row in rows]
