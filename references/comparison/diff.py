"""The difference between two results, short enough to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from references.comparison.results import PlainRow, columns_of

MOST_SHOWN = 5
"""The most rows or columns of each kind that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What only the reference has, and what only the answer has."""

    rows: tuple[int, int]
    """Numbers of rows of the reference and of the answer."""
    columns: tuple[int, int]
    """Numbers of columns of the reference and of the answer."""
    missing_columns: tuple[str, ...] = ()
    """Names of the reference's columns that equal no column of the answer."""
    extra_columns: tuple[str, ...] = ()
    missing_rows: tuple[PlainRow, ...] = ()
    """The first rows that only the reference has; empty when the results differ in width."""
    extra_rows: tuple[PlainRow, ...] = ()


def row_difference(
    ours: Sequence[PlainRow], theirs: Sequence[PlainRow], names: tuple[Sequence[str], Sequence[str]]
) -> Difference:
    """Returns the difference between the rows of the reference and of the answer.

    >>> row_difference([(1, "a")], [(2, "a")], (("id", "name"), ("n", "label"))).missing_columns
    ('id',)
    """
    own, found = (
        [Counter(each) for each in columns_of(rows, len(named))]
        for rows, named in zip((ours, theirs), names, strict=True)
    )
    same_width = len(names[0]) == len(names[1])
    left, right = (Counter(ours), Counter(theirs)) if same_width else (Counter[PlainRow](), Counter[PlainRow]())
    return Difference(
        rows=(len(ours), len(theirs)),
        columns=(len(names[0]), len(names[1])),
        missing_columns=tuple(name for name, each in zip(names[0], own, strict=True) if each not in found)[:MOST_SHOWN],
        extra_columns=tuple(name for name, each in zip(names[1], found, strict=True) if each not in own)[:MOST_SHOWN],
        missing_rows=tuple((left - right).elements())[:MOST_SHOWN],
        extra_rows=tuple((right - left).elements())[:MOST_SHOWN],
    )
