"""The joins of one query block, while the columns that they equate are still being found."""

from __future__ import annotations

from scoring.specification import Column, Join
from scoring.sql.from_items import FromItem


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
