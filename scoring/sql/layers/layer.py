"""What decides whether a query block can be read as one with the block that reads it."""

from __future__ import annotations

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
        computed = self.grouped or self.totals or self.windows or self.limited
        return not (computed or self.distinct or self.combined or self.scalars)

    def may_hold(self, inner: Layer) -> bool:
        """Whether the rows of a plain `inner` may be read in this block."""
        if not inner.plain or not _OUTER.isdisjoint(self.kinds.values()):
            return False
        return not inner.ordered or (self.items == 1 and not (self.ordered or self.grouped or self.totals))

    def only_passes_on(self, inner: Layer) -> bool:
        """Whether this block reads only `inner`, and shows, filters, sorts or cuts its rows."""
        if self.items != 1 or self.grouped or self.totals or self.windows or inner.combined or inner.scalars:
            return False
        if self.distinct and (inner.limited or inner.grouped or inner.totals):
            return False
        if inner.distinct and not (self.starred or self.outputs == inner.outputs):
            return False
        if self.filters and (inner.windows or inner.limited):
            return False
        return not ((inner.limited and self.limited) or (self.ordered and (inner.ordered or inner.limited)))


_OUTER = frozenset({"right", "full", "natural"})


def layers_of(spec: Steps) -> dict[str, Layer]:
    """The blocks by path, in the order of reading: each after those in its FROM."""
    layers = {block.path: Layer(block.path, distinct=block.distinct) for block in spec.blocks}
    _count(spec, layers)
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
    for each in spec.projections:
        layer = layers.get(each.block)
        if layer is not None and (each.star or each.subqueries):
            layer.starred = layer.starred or each.star
            layer.scalars = layer.scalars or bool(each.subqueries)
    for each in spec.set_operations:
        for path in (each.left, each.right):
            if path in layers:
                layers[path].combined = True


def _link(spec: Steps, layers: dict[str, Layer]) -> None:
    """Notes what each block reads, and by which kind of join."""
    derived = [(each.parent, each.block) for each in spec.subqueries if each.role is SubqueryRole.DERIVED]
    read = [(outer, inner) for outer, inner in (*derived, *spec.reads) if outer in layers]
    times: dict[str, int] = {}
    for outer, inner in read:
        layers[outer].items += 1
        times[inner] = times.get(inner, 0) + 1
    for outer, inner in read:
        if times[inner] == 1 and inner in layers and inner != outer:
            layers[outer].reads.append(inner)
    for each in spec.joins:
        if each.block in layers:
            layers[each.block].kinds[each.table] = each.kind
