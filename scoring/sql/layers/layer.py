"""What decides whether a query block can be read as one with the block that reads it."""

from __future__ import annotations

from collections import Counter
from typing import Protocol

from scoring.specification import (
    Aggregation,
    Block,
    GroupKey,
    Join,
    Limit,
    Projection,
    SetOperation,
    SortKey,
    Source,
    SqlFilter,
    Subquery,
    SubqueryRole,
    Void,
    Window,
)
from scoring.specification.sql import Division


class Steps(Protocol):
    """The parts of a specification while they may still be merged."""

    projections: list[Projection]
    aggregations: dict[tuple[object, ...], Aggregation]
    filters: dict[tuple[object, ...], SqlFilter]
    group_by: list[GroupKey]
    order_by: list[SortKey]
    limits: list[Limit]
    joins: list[Join]
    set_operations: list[SetOperation]
    subqueries: list[Subquery]
    windows: list[Window]
    divisions: list[Division]
    blocks: list[Block]
    sources: list[Source]
    voids: list[Void]
    reads: list[tuple[str, str]]


class Layer:
    """A query block, as far as it decides what can be merged."""

    __slots__ = (
        "combined",
        "distinct",
        "filters",
        "grouped",
        "items",
        "kinds",
        "limited",
        "ordered",
        "outputs",
        "path",
        "reads",
        "scalars",
        "starred",
        "totals",
        "windows",
    )

    def __init__(self, path: str, *, distinct: bool) -> None:
        self.path = path
        self.distinct = distinct
        self.items = 0
        """Items of FROM."""
        self.reads: list[str] = []
        """Paths of the derived tables and CTEs among them, which nothing else reads."""
        self.kinds: dict[str, str] = {}
        """The kind of join that brings each of them, but the first item."""
        self.combined = False
        """It is an arm of a set operation."""
        self.outputs = self.filters = self.grouped = self.totals = 0
        self.windows = self.limited = self.ordered = 0
        self.starred = self.scalars = False

    @property
    def plain(self) -> bool:
        """It gives each row that it reads at most once, as it is."""
        return not any((self.computes, self.limited, self.distinct, self.combined, self.scalars))

    @property
    def computes(self) -> bool:
        """It gives other rows than it reads."""
        return any((self.grouped, self.totals, self.windows))

    def may_hold(self, inner: Layer) -> bool:
        """Whether the rows of a plain `inner` may be read in this block."""
        if not inner.plain or not _OUTER.isdisjoint(self.kinds.values()):
            return False
        return not inner.ordered or (self.items == 1 and not any((self.ordered, self.grouped, self.totals)))

    def only_passes_on(self, inner: Layer) -> bool:
        """Whether this block reads only `inner`, and shows, filters, sorts or cuts its rows."""
        if self.items != 1 or any((self.computes, inner.combined, inner.scalars)):
            return False
        shows_all = any((not inner.distinct, self.starred, self.outputs == inner.outputs))
        refused = (
            self.distinct and any((inner.limited, inner.grouped, inner.totals)),
            self.filters and any((inner.windows, inner.limited)),
            self.limited and inner.limited,
            self.ordered and any((inner.ordered, inner.limited)),
        )
        return shows_all and not any(refused)


_OUTER = frozenset({"right", "full", "natural"})


def layers_of(spec: Steps) -> dict[str, Layer]:
    """The blocks by path, in the order of reading: each after those in its FROM."""
    layers = {block.path: Layer(block.path, distinct=block.distinct) for block in spec.blocks}
    _count(spec, layers)
    _mark(spec, layers)
    _link(spec, layers)
    return layers


def _count(spec: Steps, layers: dict[str, Layer]) -> None:
    for name, parts in (
        ("items", spec.sources),
        ("outputs", spec.projections),
        ("filters", spec.filters.values()),
        ("grouped", spec.group_by),
        ("totals", spec.aggregations.values()),
        ("windows", spec.windows),
        ("limited", spec.limits),
        ("ordered", spec.order_by),
    ):
        for part in parts:
            layer = layers.get(part.block)
            if layer is not None:
                setattr(layer, name, getattr(layer, name) + 1)


def _mark(spec: Steps, layers: dict[str, Layer]) -> None:
    """Marks the blocks that show `*` or scalar subqueries, and the arms of set operations."""
    for each in spec.projections:
        layer = layers.get(each.block) if each.star or each.subqueries else None
        if layer is not None:
            layer.starred = layer.starred or each.star
            layer.scalars = layer.scalars or bool(each.subqueries)
    for path in [path for each in spec.set_operations for path in (each.left, each.right)]:
        if path in layers:
            layers[path].combined = True


def _link(spec: Steps, layers: dict[str, Layer]) -> None:
    """Notes what each block reads, and by which kind of join."""
    derived = [(each.parent, each.block) for each in spec.subqueries if each.role is SubqueryRole.DERIVED]
    read = [(layers[outer], inner) for outer, inner in (*derived, *spec.reads) if outer in layers]
    times = Counter([inner for _, inner in read])
    for layer, inner in read:
        layer.items += 1
        if times[inner] == 1 and inner in layers and inner != layer.path:
            layer.reads.append(inner)
    for each in spec.joins:
        if each.block in layers:
            layers[each.block].kinds[each.table] = each.kind
