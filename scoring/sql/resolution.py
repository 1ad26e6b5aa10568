"""Resolves the column names of one query block, through aliases, to the columns they stand for."""

from __future__ import annotations

from typing import TypeAlias

from scoring.specification import Column
from scoring.sql.from_items import FromItem
from scoring.sql.terms import Term

Resolved: TypeAlias = tuple[FromItem | None, Term]
"""A column, and the item of this block that it belongs to; `None` for an outer or unknown item."""


class ColumnResolver:
    """The FROM items of one query block, and the columns that names stand for there."""

    __slots__ = (
        "_columns",
        "_derived",
        "_resolved",
        "bases",
        "correlated",
        "items",
        "outer",
        "outer_pairs",
        "outer_reads",
    )

    def __init__(self, outer: ColumnResolver | None, columns: set[Column]) -> None:
        self.outer = outer
        """Of the block whose columns a correlated subquery may read."""
        self.items: dict[str, FromItem] = {}
        """FROM items by lower-case alias or name."""
        self.bases: list[FromItem] = []
        """The base tables among the items."""
        self.correlated = False
        """A column of an outer block was read."""
        self.outer_pairs: list[tuple[Column, Column]] = []
        """Each own column that is equated with one of a block around, and that one."""
        self.outer_reads = 0
        """How many columns of outer blocks are read, here or further inside."""
        self._columns = columns
        """Collects every base column that is read."""
        self._resolved: dict[tuple[str | None, str], Resolved] = {}
        self._derived: dict[str, Resolved] | None = None

    def add(self, alias: str, item: FromItem) -> None:
        self.items[alias] = item
        item.alias = alias
        if item.table is not None:
            self.bases.append(item)

    def resolve(self, qualifier: str | None, name: str) -> Resolved:
        """What a lower-case name, with its table's name or alias if it has one, stands for."""
        key = qualifier, name
        found = self._resolved.get(key)
        if found is None:
            found = self._of_base_table(qualifier, name) or self._of_any_item(qualifier, name)
            self._resolved[key] = found
        return found

    def base_column(self, name: str, table: str | None) -> Term:
        """Records a base column; its table may be unknown."""
        column = Column(name, table)
        self._columns.add(column)
        return Term(name, (column,))

    def _of_base_table(self, qualifier: str | None, name: str) -> Resolved | None:
        """The fast path for most columns: the base table is named or is the only item."""
        items = self.items
        if qualifier is not None:
            item = items.get(qualifier)
        else:
            item = self.bases[0] if len(items) == 1 and self.bases else None
        if item is None or item.table is None:
            return None
        column = Column(name, item.table)
        self._columns.add(column)
        return item, Term(name, (column,))

    def _of_any_item(self, qualifier: str | None, name: str) -> Resolved:
        if qualifier is None:
            return self._unqualified(name)
        item = self.items.get(qualifier)
        if item is not None:
            return item, self._column_of(item, name)
        outer = self.outer
        while outer is not None:
            if qualifier in outer.items:
                self._mark_correlated(outer)
                return None, outer._column_of(outer.items[qualifier], name)
            outer = outer.outer
        # Without any FROM (a tenant's predicate) the qualifier can only be a table's own name.
        return None, self.base_column(name, None if self.items else qualifier)

    def _unqualified(self, name: str) -> Resolved:
        if len(self.items) == 1:
            item = next(iter(self.items.values()))
            return item, self._column_of(item, name)
        if self._derived is None:
            self._derived = self._derived_columns()
        if name in self._derived:
            return self._derived[name]
        for item in self.items.values():
            if item.stars and (found := item.find(name)) is not None:
                return item, found
        only = self.bases[0] if len(self.bases) == 1 else None
        return only, self.base_column(name, only.table if only is not None else None)

    def _derived_columns(self) -> dict[str, Resolved]:
        """The output columns of all derived tables; of equal names the first."""
        columns: dict[str, Resolved] = {}
        for item in self.items.values():
            for name, term in item.outputs.items():
                columns.setdefault(name, (item, term))
        return columns

    def _column_of(self, item: FromItem, name: str) -> Term:
        return item.find(name) or self.base_column(name, item.base_table())

    def _mark_correlated(self, outer: ColumnResolver) -> None:
        """Marks this block and those between it and the block whose column it reads."""
        resolver: ColumnResolver | None = self
        while resolver is not None and resolver is not outer:
            resolver.correlated = True
            resolver.outer_reads += 1
            resolver = resolver.outer
