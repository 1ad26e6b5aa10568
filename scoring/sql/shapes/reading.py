"""Reads all shapes of one query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

from scoring.specification.shapes import Shape
from scoring.sql.shapes import chosen, grains, lost_groups, nesting, pairs, quotients, repeated_rows, windows
from scoring.sql.shapes.selects import Select, read_selects
from scoring.sql.terms import Node

_MOST_NODES = 1500
"""Larger queries have no shapes: no person writes them, and each reader walks them once."""
_MOST_SELECTS = 24
_MOST_ITEMS = 12
"""A SELECT that reads more is not read: its items would be compared each with each."""
_MOST_SHAPES = 64

READERS: tuple[Callable[[Select], Iterator[Shape]], ...] = (
    repeated_rows.repeated_rows,
    repeated_rows.deduplicated,
    repeated_rows.hidden_keys,
    repeated_rows.hidden_columns,
    repeated_rows.unused_repeats,
    lost_groups.groups_lost,
    lost_groups.each_alone,
    lost_groups.counted_alone,
    lost_groups.sums_of_counts,
    lost_groups.nulls_counted,
    lost_groups.havings_alone,
    lost_groups.bases_of_all,
    lost_groups.columns_compared,
    nesting.means,
    nesting.levels,
    nesting.uncorrelated,
    nesting.nullable_exclusions,
    nesting.outer_conditions,
    nesting.mixed_ors,
    nesting.counted_rows,
    windows.running,
    windows.frames,
    windows.neighbours,
    windows.ranked,
    windows.distinct_on,
    chosen.choices,
    chosen.steps,
    grains.grains,
    grains.formats,
    grains.shifted_years,
    grains.zones,
    pairs.roles,
    pairs.self_pairs,
    quotients.changes,
    quotients.shares,
    quotients.durations,
)


def read_shapes(tree: Node, nodes: int) -> tuple[Shape, ...]:
    """The shapes of a query, in the order of `READERS`; none of a query that is too large or broken."""
    if nodes > _MOST_NODES:
        return ()
    try:
        selects = [each for each in read_selects(tree) if len(each.items) <= _MOST_ITEMS][:_MOST_SELECTS]
        return tuple(islice((shape for reader in READERS for each in selects for shape in reader(each)), _MOST_SHAPES))
    except (RecursionError, AttributeError, KeyError, TypeError, IndexError, ValueError):
        # The parser accepts some broken calls and leaves out what they need; the walk that follows reports them.
        return ()
