"""Sort keys of unknown rows, and the rows that a LIMIT keeps."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from references.equivalence.proof.logic import (
    Bit,
    UnknownValue,
    before,
    count,
    every,
    less_than,
    none,
    same,
    same_rows,
    some,
)
from references.equivalence.proof.machine import Machine
from references.equivalence.proof.rows import Frame, UnknownRow

SortKey = tuple[UnknownValue, bool, bool]
"""The value, whether the order is descending, and whether NULLs come first."""


def sort_keys(machine: Machine, orders: Sequence[exp.Expr], frame: Frame) -> list[SortKey]:
    """Evaluates the sort keys of a row."""
    return [(machine.term(each.this, frame), *direction(each)) for each in orders]


def direction(each: exp.Expr) -> tuple[bool, bool]:
    """Returns whether a sort key is descending, and whether NULLs come first."""
    falling = bool(each.args.get("desc"))
    first = each.args.get("nulls_first")
    return falling, not falling if first is None else bool(first)


def precedes(one: Sequence[SortKey], other: Sequence[SortKey]) -> Bit:
    """Holds where the first row sorts before the other."""
    result: Bit = False
    for (a, falling, first), (b, _, _) in zip(reversed(one), reversed(other), strict=True):
        ahead = _ahead(a, b, falling=falling, nulls_first=first)
        result = some((ahead, every((same(a, b), result))))
    return result


def _ahead(a: UnknownValue, b: UnknownValue, *, falling: bool, nulls_first: bool) -> Bit:
    there = every((none(a.null), none(b.null)))
    values = every((there, before(b, a) if falling else before(a, b)))
    nulls = every((a.null, none(b.null))) if nulls_first else every((none(a.null), b.null))
    return some((values, nulls))


def ties(one: Sequence[SortKey], other: Sequence[SortKey]) -> Bit:
    """Holds where two rows are equal in all sort keys."""
    return every(same(a, b) for (a, _, _), (b, _, _) in zip(one, other, strict=True))


def cut(
    rows: Sequence[UnknownRow], keys: Sequence[Sequence[SortKey]], start: int, size: int, machine: Machine
) -> tuple[UnknownRow, ...]:
    """Returns the rows that a LIMIT keeps. The proof leaves out databases on which a tie would change them."""
    kept: list[UnknownRow] = []
    for index, row in enumerate(rows):
        ahead: list[Bit] = []
        for other, each in enumerate(rows):
            if other == index:
                continue
            tied = ties(keys[other], keys[index])
            if other < index:
                agree = same_rows(each.cells, row.cells)
                machine.assume("no ties", some((none(row.present), none(each.present), none(tied), agree)))
            sooner = some((precedes(keys[other], keys[index]), every((tied, other < index))))
            ahead.append(every((each.present, sooner)))
        place = count(ahead)
        within = [less_than(place.value, start + size)]
        if start:
            within.append(none(less_than(place.value, start)))
        kept.append(UnknownRow(every((row.present, *within)), row.cells))
    return tuple(kept)
