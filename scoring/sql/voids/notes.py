"""Takes back what was read of a part of the SQL that turns out to do nothing, and notes that part."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from scoring.specification import Void, VoidKind
from scoring.sql.builder import SpecificationBuilder
from scoring.sql.scopes import Scope

SHOWN = 160
MOST = 200
"""Most parts that are noted of one kind, as many as a query may have conditions, so that none crowds out another."""


class ReadSoFar(NamedTuple):
    """How much of the specification was there before a part was read."""

    blocks: int
    limits: int
    pairs: int


def mark(scope: Scope) -> ReadSoFar:
    """What was read so far."""
    return ReadSoFar(len(scope.spec.blocks), len(scope.spec.limits), len(scope.joins.paired))


def discard(scope: Scope, since: ReadSoFar) -> None:
    """Takes back the query blocks, limits and join pairs that were read since."""
    spec = scope.spec
    spec.dead.update([block.path for block in spec.blocks[since.blocks :]])
    del spec.limits[since.limits :]
    for join in scope.joins.paired[since.pairs :]:
        join.pairs.pop()
    del scope.joins.paired[since.pairs :]


def note(
    scope: Scope, kind: VoidKind, text: str, numbers: tuple[float, ...] = (), values: tuple[str, ...] = ()
) -> None:
    """Notes a part of this block that does not do what it seems to do."""
    note_in(scope.spec, Void(kind=kind, block=scope.path, text=text[:SHOWN], numbers=numbers, values=values))


def forget_steps(spec: SpecificationBuilder, noted: int, recursive: object, tables: Collection[str]) -> None:
    """Drops what was noted of arithmetic in an arm of a recursion, where neither it nor the first arm reads a table.

    It makes a list: each row is the one before, changed by a constant, as in `day + 1`.
    """
    if recursive is None or tables:
        return
    for each in [each for each in spec.voids[noted:] if each.kind is VoidKind.ARITHMETIC]:
        spec.voids.remove(each)
        spec.noted.discard(_likeness(each))
        spec.times_noted[each.kind] -= 1


def _likeness(void: Void) -> tuple[object, ...]:
    """What notes have in common of which one is enough."""
    return (void.kind, frozenset(void.numbers), void.values) if void.numbers or void.values else (void.kind, void.text)


def note_in(spec: SpecificationBuilder, void: Void) -> None:
    """Notes a part of a block, unless one like it is noted."""
    alike = _likeness(void)
    if alike in spec.noted or spec.times_noted[void.kind] >= MOST:
        return
    spec.noted.add(alike)
    spec.times_noted[void.kind] += 1
    spec.voids.append(void)
