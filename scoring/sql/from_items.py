"""What FROM reads: base tables, CTEs and derived tables, with the columns they give."""

from __future__ import annotations

from scoring.specification import Column
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
