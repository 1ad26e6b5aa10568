"""Collects what a walk over the syntax tree finds, and builds the specification from it."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

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
            _leave_out_unread(self)
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


_LISTS = dict.fromkeys(
    (
        "projections",
        "group_by",
        "order_by",
        "limits",
        "joins",
        "windows",
        "divisions",
        "subqueries",
        "sources",
        "voids",
    ),
    "block",
) | {"set_operations": "right", "blocks": "path"}
"""The lists of a specification, with the field of their parts that names a block."""


def _leave_out_unread(spec: SpecificationBuilder) -> None:
    """Removes what dead blocks and unused CTEs hold, and the blocks inside them."""
    unused = spec.cte_paths - _used_ctes(spec) | spec.optional
    if unused:
        _note_unused(spec, unused)
    if spec.dead or unused:
        _leave_out(spec, _Gone(spec.dead | unused))


def _leave_out(spec: SpecificationBuilder, gone: _Gone) -> None:
    for name, path in _LISTS.items():
        parts: list[Any] = getattr(spec, name)
        parts[:] = [each for each in parts if not gone.holds(getattr(each, path))]
    spec.filters = {key: each for key, each in spec.filters.items() if not gone.holds(each.block)}
    spec.aggregations = {key: each for key, each in spec.aggregations.items() if not gone.holds(each.block)}


class _Gone:
    """The paths that lie in dead blocks."""

    __slots__ = ("_known",)

    def __init__(self, dead: set[str]) -> None:
        self._known = dict.fromkeys(dead, True) | {"": False}

    def holds(self, path: str) -> bool:
        known = self._known.get(path)
        if known is None:
            known = self._known[path] = self.holds(path.rpartition("/")[0])
        return known


def _used_ctes(spec: SpecificationBuilder) -> set[str]:
    """The CTEs that the query, or a CTE that it uses, reads."""
    readers: dict[str, list[str]] = {}
    for block, cte in spec.reads:
        readers.setdefault(_cte_around(spec, block), []).append(cte)
    waiting, used = [""], set[str]()
    while waiting:
        for cte in readers.get(waiting.pop(), ()):
            if cte not in used:
                used.add(cte)
                waiting.append(cte)
    return used


def _cte_around(spec: SpecificationBuilder, block: str) -> str:
    """The path of the CTE that holds a block, or an empty text."""
    while block and block not in spec.cte_paths and block not in spec.optional:
        block = block.rpartition("/")[0]
    return block


def _note_unused(spec: SpecificationBuilder, unused: set[str]) -> None:
    """Notes each unused CTE with a condition that the query does not apply elsewhere."""
    holders = {key: _cte_around(spec, each.block) for key, each in spec.filters.items()}
    live = {each.text for key, each in spec.filters.items() if holders[key] not in unused}
    filtering = {holders[key] for key, each in spec.filters.items() if each.text not in live}
    named = {column.name for column in spec.columns}  # ClickHouse's WITH names a value: `WITH (SELECT …) AS since`
    for path in sorted(each for each in filtering & unused if each.rpartition("cte:")[2] not in named):
        text = "left join" if path in spec.optional else f"with {path.rpartition('cte:')[2]}"
        spec.voids.append(Void(kind=VoidKind.UNUSED, block="main", text=text))
