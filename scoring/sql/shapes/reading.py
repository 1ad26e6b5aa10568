"""Reads all shapes of one query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from sqlglot import exp

from scoring.specification.shapes import Shape
from scoring.sql.shapes import (
    chosen,
    grains,
    hidden_columns,
    lost_groups,
    nesting,
    pairs,
    picked,
    quotients,
    repeated_rows,
    roles,
    united,
    windows,
)
from scoring.sql.shapes.selects import Select, read_selects
from scoring.sql.terms import Node, derived_kinds

_MOST_NODES = 1500
"""Larger queries have no shapes: no person writes them, and each reader walks them once."""
_MOST_SELECTS = 24
_MOST_ITEMS = 12
"""A SELECT that reads more is not read: its items would be compared each with each."""
_MOST_SHAPES = 64


class ShapeReader(NamedTuple):
    """Finds some shapes of a SELECT, if it holds a node of certain kinds."""

    read: Callable[[Select], Iterator[Shape]]
    kinds: frozenset[type[Node]]
    """Without a node of these kinds there are no such shapes, so most readers skip most SELECTs; empty: skips none."""


def _reader(read: Callable[[Select], Iterator[Shape]], *kinds: type[Node]) -> ShapeReader:
    return ShapeReader(read, derived_kinds(*kinds))


_ADDED = (exp.Sum, exp.Avg)
_COMPARED = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_DIVIDED = (exp.Div, exp.IntDiv, exp.SafeDivide, exp.Anonymous)
_WRITTEN = (exp.TimeToStr, exp.ToChar)

READERS: tuple[ShapeReader, ...] = (
    _reader(repeated_rows.repeated_rows, exp.Count, *_ADDED),
    _reader(repeated_rows.side_by_side, exp.Sum, exp.Count),
    _reader(repeated_rows.deduplicated, *_ADDED),
    _reader(united.united_counts, exp.Count),
    _reader(hidden_columns.hidden_keys, exp.Group),
    _reader(hidden_columns.hidden_columns, exp.Group),
    _reader(repeated_rows.unused_repeats, exp.Count, *_ADDED),
    _reader(lost_groups.groups_lost, exp.In),
    _reader(lost_groups.finer_parts, exp.Group),
    _reader(lost_groups.each_alone, exp.Max, exp.Min, *_ADDED, exp.Window),
    _reader(lost_groups.counted_alone, exp.Count),
    _reader(lost_groups.sums_of_counts, exp.Sum),
    _reader(lost_groups.nulls_counted, exp.Is, exp.Avg),
    _reader(lost_groups.havings_alone, exp.Having),
    _reader(lost_groups.bases_of_all, exp.Div),
    _reader(lost_groups.columns_compared, *_COMPARED),
    _reader(nesting.means, exp.Avg),
    _reader(nesting.levels, exp.In, exp.Exists),
    _reader(nesting.uncorrelated, exp.Query),
    _reader(nesting.nullable_exclusions, exp.In, exp.All),
    _reader(nesting.outer_conditions),
    _reader(nesting.mixed_ors, exp.Or),
    _reader(nesting.counted_rows, exp.Count),
    _reader(windows.running, exp.Window, *_COMPARED),
    _reader(windows.frames, exp.Window),
    _reader(windows.neighbours, exp.Lag, exp.Lead),
    _reader(windows.ranked),
    _reader(windows.cut_early, exp.LTE, exp.LT),
    _reader(windows.ranked_alone, exp.Window),
    _reader(windows.distinct_on, exp.Distinct),
    _reader(chosen.choices),
    _reader(chosen.steps, *chosen.STEPS, exp.Anonymous),
    _reader(grains.grains, exp.Group),
    _reader(grains.formats, *_WRITTEN, exp.Ordered),
    _reader(grains.shifted_years, *grains.YEARS, exp.Query),
    _reader(grains.zones, *grains.ZONED),
    _reader(picked.picks, *picked.PICKS),
    _reader(picked.last_of_row, exp.LastValue),
    _reader(picked.unreached, exp.Case),
    _reader(picked.role_outputs),
    _reader(pairs.roles),
    _reader(pairs.self_pairs),
    _reader(roles.self_uses),
    _reader(roles.named_rows),
    _reader(roles.answer_roles),
    _reader(quotients.changes, exp.Sub),
    _reader(quotients.shares, *_DIVIDED, exp.Avg),
    _reader(quotients.durations, exp.Extract, exp.Sub, *quotients.DIFFERENCES),
)


def read_shapes(tree: Node, nodes: int) -> tuple[Shape, ...]:
    """The shapes of a query, in the order of `READERS`; none of a query that is too large or broken."""
    if nodes > _MOST_NODES:
        return ()
    try:
        selects = [each for each in read_selects(tree) if len(each.items) <= _MOST_ITEMS][:_MOST_SELECTS]
        return tuple(islice(_shapes(selects), _MOST_SHAPES))
    except (RecursionError, AttributeError, KeyError, TypeError, IndexError, ValueError):
        # The parser accepts some broken calls and leaves out what they need; the walk that follows reports them.
        return ()


def _shapes(selects: list[Select]) -> Iterator[Shape]:
    for read, kinds in READERS:
        for each in selects:
            if not kinds or not kinds.isdisjoint(each.kinds):
                yield from read(each)
