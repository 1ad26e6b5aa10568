"""In what two results differ, small enough to read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from references.comparison.results import PlainRow, columns_of

MOST_SHOWN = 5
"""Most rows or columns of a kind that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What the reference has and the answer has not, and the other way round."""

    rows: tuple[int, int]
    """How many rows the reference and the answer have."""
    columns: tuple[int, int]
    """How many columns the reference and the answer have."""
    missing_columns: tuple[str, ...] = ()
    """Columns of the reference that no column of the answer equals, by name."""
    extra_columns: tuple[str, ...] = ()
    missing_rows: tuple[PlainRow, ...] = ()
    """Rows only the reference has; empty where the columns differ in number. The first few."""
    extra_rows: tuple[PlainRow, ...] = ()


def difference(
    ours: Sequence[PlainRow], theirs: Sequence[PlainRow], names: tuple[Sequence[str], Sequence[str]]
) -> Difference:
    """The difference of the reference's rows and the answer's.

    >>> difference([(1, "a")], [(2, "a")], (("id", "name"), ("n", "label"))).missing_columns
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
