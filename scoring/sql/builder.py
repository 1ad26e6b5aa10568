"""Collects what a walk over the syntax tree finds, and builds the specification from it."""

from __future__ import annotations

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
    SqlFilter,
    SqlSpec,
    Subquery,
    Void,
    VoidKind,
    Window,
)
from scoring.sql.terms import Term


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
        self.voids: list[Void] = []
        self.dead: set[str] = set()
        """Paths of blocks that do nothing; what they hold is left out."""
        self.reads: list[tuple[str, str]] = []
        """Each use of a CTE: the block that reads it and the path of the CTE."""
        self.cte_paths: set[str] = set()
        self.conditionals = 0
        """Number of CASE, IF, FILTER and boolean aggregate arguments read so far."""

    def build(self, nodes: int) -> SqlSpec:
        if self.cte_paths:
            self._drop_unused_ctes()
        if self.dead:
            self._leave_out(self.dead)
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
            voids=tuple(self.voids),
        )

    def _drop_unused_ctes(self) -> None:
        """Leaves out the CTEs that neither the query nor a CTE that it reads names."""
        readers: dict[str, list[str]] = {}
        for block, cte in self.reads:
            readers.setdefault(self._cte_around(block), []).append(cte)
        waiting, used = [""], set[str]()
        while waiting:
            for cte in readers.get(waiting.pop(), ()):
                if cte not in used:
                    used.add(cte)
                    waiting.append(cte)
        unused = self.cte_paths - used
        if not unused:
            return
        live = {each.text for each in self.filters.values() if self._cte_around(each.block) not in unused}
        dead = [each for each in self.filters.values() if each.text not in live]
        filtered = {self._cte_around(each.block) for each in dead} & unused
        for path in sorted(filtered):
            name = path.rpartition("cte:")[2]
            self.voids.append(Void(kind=VoidKind.UNUSED, block="main", text=f"with {name}"))
        self.dead |= unused

    def _cte_around(self, block: str) -> str:
        """The path of the CTE that holds a block, or an empty text."""
        while block and block not in self.cte_paths:
            block = block.rpartition("/")[0]
        return block

    def _leave_out(self, dead: set[str]) -> None:
        """Removes what blocks that do nothing hold, and the blocks inside them."""
        gone: dict[str, bool] = {"": False}

        def is_gone(path: str) -> bool:
            known = gone.get(path)
            if known is None:
                known = gone[path] = path in dead or is_gone(path.rpartition("/")[0])
            return known

        self.filters = {key: each for key, each in self.filters.items() if not is_gone(each.block)}
        self.aggregations = {key: each for key, each in self.aggregations.items() if not is_gone(each.block)}
        self.projections = [each for each in self.projections if not is_gone(each.block)]
        self.group_by = [each for each in self.group_by if not is_gone(each.block)]
        self.order_by = [each for each in self.order_by if not is_gone(each.block)]
        self.limits = [each for each in self.limits if not is_gone(each.block)]
        self.joins = [each for each in self.joins if not is_gone(each.block)]
        self.windows = [each for each in self.windows if not is_gone(each.block)]
        self.divisions = [each for each in self.divisions if not is_gone(each.block)]
        self.subqueries = [each for each in self.subqueries if not is_gone(each.block)]
        self.set_operations = [each for each in self.set_operations if not is_gone(each.right)]
        self.voids = [each for each in self.voids if not is_gone(each.block)]
        self.blocks = [each for each in self.blocks if not is_gone(each.path)]
