"""The tenant's database as the tenant declares it: tables, columns and keys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from scoring.immutable import immutable


class ColumnType(StrEnum):
    """What a column holds, as far as a comparison with a literal can fail by it."""

    NUMBER = "number"
    TEXT = "text"
    TIME = "time"
    OTHER = "other"
    """Another type, or one that is not declared."""


@immutable()
class DatabaseSchema:
    """Tables and columns by their lower-case names, without the names of schemas and databases before them.

    Readers of words call a name in humps by its parts: `OrderDate` is `orderdate` here and `order_date` there.
    """

    tables: Mapping[str, Mapping[str, ColumnType]]
    open_tables: frozenset[str] = frozenset()
    """Views and tables whose columns are not declared."""
    keys: frozenset[tuple[str, str]] = frozenset()
    """Foreign keys: both columns as `table.column`, by their parts, the lesser first."""
    joined: frozenset[tuple[str, str]] = frozenset()
    """The tables that a foreign key joins, by their parts, the lesser first."""
    parts: Mapping[str, str] = field(default_factory=dict[str, str])
    """The names in humps: lower case to parts."""
    whole: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same the other way round."""

    def knows(self, table: str) -> bool:
        """Whether the table or view exists."""
        return table in self.tables or table in self.open_tables

    def kind(self, table: str | None, column: str) -> ColumnType | None:
        """The kind of a column, both named by their parts; `None` for one that is not declared."""
        return self.tables.get(self.whole.get(table or "", table or ""), {}).get(self.whole.get(column, column))


@immutable()
class UnknownNames:
    """What a query reads and its database does not have, in lower case and in order."""

    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    """As `table.column`, or the bare name where several tables might have had it."""

    def __bool__(self) -> bool:
        return bool(self.tables or self.columns)


def in_order(left: str, right: str) -> tuple[str, str]:
    """Both, the lesser first.

    >>> in_order("b.x", "a.y")
    ('a.y', 'b.x')
    """
    return (left, right) if left <= right else (right, left)
