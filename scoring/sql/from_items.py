"""What FROM reads: base tables, CTEs and derived tables, with the columns they give."""

from __future__ import annotations

from scoring.specification import Column, Join
from scoring.sql.terms import Term

_STARS = 64
"""How many nested `SELECT *` a column is followed through."""


class FromItem:
    """A base table, or a query with named output columns."""

    __slots__ = (
        "alias",
        "columns",
        "correlated",
        "empty",
        "item_names",
        "outer_pair",
        "outputs",
        "path",
        "stars",
        "table",
        "tables",
        "used",
    )

    def __init__(self, table: str | None, path: str = "") -> None:
        self.table = table
        """Base table name; `None` for a derived table or CTE."""
        self.alias = ""
        """Its name in the block that reads it."""
        self.path = path
        """Block path of a derived table or CTE."""
        self.columns: list[Term] = []
        """Its output columns in order."""
        self.outputs: dict[str, Term] = {}
        """Its output columns by lower-case name."""
        self.stars: list[FromItem] = []
        """The items whose columns its `*` passes through."""
        self.tables: tuple[str, ...] = ()
        """Base tables that the query's first block reads."""
        self.item_names: tuple[str, ...] = ()
        """Names of the tables, CTEs and derived tables that the query's first block reads, for people."""
        self.used = False
        """A column of it is read outside ON."""
        self.empty = False
        """It is certain to return no row."""
        self.correlated = False
        """The query reads columns of a block around it."""
        self.outer_pair: tuple[Column, Column] | None = None
        """An own column and the one of a block around it that it equals, if nothing else around it is read."""

    @property
    def name(self) -> str:
        """The table's or CTE's name; for a derived table the last part of its path."""
        return self.table if self.table is not None else self.path.rpartition("/")[2].removeprefix("cte:")

    def copy(self) -> FromItem:
        """The same columns as a separate item: a table joined to itself is two items."""
        twin = FromItem(self.table, self.path)
        twin.columns, twin.outputs, twin.stars = self.columns, self.outputs, self.stars
        twin.tables, twin.item_names, twin.empty = self.tables, self.item_names, self.empty
        return twin

    def renamed(self, names: list[str], path: str) -> FromItem:
        """A copy whose columns have the names of an alias's column list, if it has one."""
        twin = self.copy()
        twin.path = path
        if names and not self.stars:
            twin.outputs = dict(zip(names, self.columns, strict=False))
        return twin

    def find(self, name: str) -> Term | None:
        """The output column of that name, through `*`; `None` when only a base table's schema could tell."""
        found = self.outputs.get(name)
        if found is not None or not self.stars:
            return found
        waiting = list(self.stars)
        for _ in range(_STARS):
            if not waiting:
                return None
            item = waiting.pop()
            if name in item.outputs:
                return item.outputs[name]
            waiting.extend(item.stars)
        return None

    def base_table(self) -> str | None:
        """The base table behind it, through each `SELECT *` of a single item."""
        item = self
        for _ in range(_STARS):
            if item.table is not None or len(item.stars) != 1:
                return item.table
            item = item.stars[0]
        return None


class CteScope:
    """The CTEs in scope, the innermost WITH first."""

    __slots__ = ("items", "outer", "recursive")

    def __init__(self, outer: CteScope | None = None) -> None:
        self.outer = outer
        self.items: dict[str, FromItem] = {}
        self.recursive: tuple[str, str, list[str]] | None = None
        """Name, path and column names of the CTE whose body is being read."""

    def find(self, name: str) -> FromItem | None:
        scope: CteScope | None = self
        while scope is not None:
            if name in scope.items:
                return scope.items[name]
            scope = scope.outer
        return None


class PendingJoin:
    """A join whose equated columns are still being found."""

    __slots__ = ("bound", "item", "kind", "pairs")

    def __init__(self, kind: str, item: FromItem) -> None:
        self.kind = kind
        self.item = item
        self.pairs: list[tuple[Column, Column]] = []
        self.bound = False
        """Some condition compares a column of the item with another item's."""

    def finish(self, block: str) -> Join:
        item = self.item
        # Some dialects parse a comma as CROSS JOIN: it is a comma join when WHERE equates columns of the two tables.
        kind = ("comma" if self.pairs else "cross") if self.kind in ("comma", "cross") else self.kind
        table = item.table if item.table is not None else item.path
        return Join(kind=kind, table=table, block=block, pairs=tuple(self.pairs), bound=self.bound)


class PendingJoins:
    """The joins of a block in order, and which of them brought which FROM item."""

    __slots__ = ("_by_item", "all", "paired")

    def __init__(self) -> None:
        self.all: list[PendingJoin] = []
        self.paired: list[PendingJoin] = []
        """The join of each pair of columns, in the order in which the pairs were read."""
        self._by_item: dict[FromItem | None, int] = {}

    def add(self, kind: str, item: FromItem) -> None:
        self._by_item[item] = len(self.all)
        self.all.append(PendingJoin(kind, item))

    def of(self, item: FromItem) -> PendingJoin | None:
        """The join that brought the item; `None` for the first item of FROM."""
        place = self._by_item.get(item)
        return None if place is None else self.all[place]

    def is_optional(self, item: FromItem) -> bool:
        """Whether an outer join brought the item, so that rows may lack it."""
        join = self.of(item)
        return join is not None and join.kind in ("left", "full")

    def later_of(self, first: FromItem | None, second: FromItem | None) -> PendingJoin | None:
        """The later of the joins that brought the two items."""
        place = max(self._by_item.get(first, -1), self._by_item.get(second, -1))
        return self.all[place] if place >= 0 else None

    @property
    def lists_tables(self) -> bool:
        """Whether tables are listed with commas or CROSS JOIN, so that WHERE may join them."""
        return any(join.kind in ("comma", "cross") for join in self.all)
