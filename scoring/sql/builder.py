"""Collects what a walk over the syntax tree finds, and builds the specification from it."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from scoring.specification import (
    Aggregation,
    Block,
    Column,
    Division,
    GroupKey,
    Join,
    Limit,
    Projection,
    SetOperation,
    SortKey,
    Source,
    SqlFilter,
    SqlSpec,
    Subquery,
    Void,
    VoidKind,
    Window,
)
from scoring.specification.shapes import Shape
from scoring.sql.layers import normalize
from scoring.sql.terms import Node, Term
from scoring.sql.unread import leave_out_unread


class ComputedColumn(NamedTuple):
    """A column that a CTE or derived table computes."""

    term: Term
    output: Node
    block: str
    filters: tuple[tuple[object, ...], ...]
    """The keys of the conditions in it."""


class SpecificationBuilder:
    """The parts of a specification, in the order in which they are read."""

    # A plain class: one is made for every text, and a dataclass with twenty default factories costs several times more.
    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.projections: list[Projection] = []
        self.aggregations: dict[tuple[object, ...], Aggregation] = {}
        self.filters: dict[tuple[object, ...], SqlFilter] = {}
        self.group_by: list[GroupKey] = []
        self.order_by: list[SortKey] = []
        self.limits: list[Limit] = []
        self.joins: list[Join] = []
        self.set_operations: list[SetOperation] = []
        self.subqueries: list[Subquery] = []
        self.windows: list[Window] = []
        self.ctes: list[str] = []
        self.divisions: list[Division] = []
        self.blocks: list[Block] = []
        self.columns: set[Column] = set()
        self.functions: set[str] = set()
        self.terms: dict[int, Term] = {}
        """Terms by node id, of nodes that must be recorded only once: a subquery, a window, a division."""
        self.sources: list[Source] = []
        self.voids: list[Void] = []
        self.noted: set[tuple[object, ...]] = set()
        """What tells the voids from others."""
        self.times_noted: Counter[VoidKind] = Counter()
        self.dead: set[str] = set()
        """Paths of blocks that do nothing; what they hold is left out."""
        self.reads: list[tuple[str, str]] = []
        """Each use of a CTE: the block that reads it and the path of the CTE."""
        self.cte_paths: set[str] = set()
        self.optional: set[str] = set()
        """Paths of derived tables that an outer join brings and nothing reads."""
        self.parameters: set[str] = set()
        """Placeholders whose values are not known."""
        self.computed: list[ComputedColumn] = []
        """Columns of CTEs and derived tables that are no plain columns."""
        self.shapes: tuple[Shape, ...] = ()
        self.conditionals = 0
        """Number of CASE, IF, FILTER and boolean aggregate arguments read so far."""

    def build(self, nodes: int) -> SqlSpec:
        if self.cte_paths or self.optional or self.dead:
            leave_out_unread(self)
        normalize(self)
        return SqlSpec(
            dialect=self.dialect,
            projections=tuple(self.projections),
            aggregations=tuple(self.aggregations.values()),
            filters=tuple(self.filters.values()),
            group_by=tuple(self.group_by),
            order_by=tuple(self.order_by),
            limits=tuple(self.limits),
            joins=tuple(self.joins),
            set_operations=tuple(self.set_operations),
            subqueries=tuple(self.subqueries),
            windows=tuple(self.windows),
            ctes=tuple(self.ctes),
            divisions=tuple(self.divisions),
            blocks=tuple(self.blocks),
            columns=frozenset(self.columns),
            functions=frozenset(self.functions),
            nodes=nodes,
            parameters=frozenset(self.parameters),
            sources=tuple(self.sources),
            voids=tuple(self.voids),
            shapes=self.shapes,
        )
