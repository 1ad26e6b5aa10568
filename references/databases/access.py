"""What a query may use, and what every kind of database promises."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TypeAlias

from references.comparison.results import QueryResult
from references.sandbox import Failure, FailureKind

BATCH = 500
"""Rows fetched at once; the size of a result is counted after each batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseLimits:
    """Limits of one query."""

    seconds: float = 10.0
    rows: int = 100_000
    """A larger result is a failure; it is never truncated."""
    result_megabytes: int = 256
    """Size of a result in this process; a larger one is a failure."""
    megabytes: int = 1024
    """Memory of a database engine that runs in this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the user allows beyond the functions that are known to be harmless."""

    functions: frozenset[str] = frozenset()
    """Functions of the database's own, as `name` or `schema.name`, in lower case."""
    any_role: bool = False
    """Whether a PostgreSQL role that can do more than read is accepted."""

    @classmethod
    def of(cls, functions: Iterable[str], *, any_role: bool) -> Allowance:
        """The names as a user writes them, in any case."""
        return cls(functions=frozenset(name.lower() for name in functions), any_role=any_role)


DeclaredTables: TypeAlias = Mapping[str, Sequence[tuple[str, str]]]
"""The columns of each table, as name and declared type."""


class UnknownDatabaseError(ValueError):
    """The database does not exist, or cannot be used. The message says which, why, and what to do."""


class Database(Protocol):
    """One open database."""

    @property
    def dialect(self) -> str:
        """The sqlglot name of its dialect."""
        ...

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query. Raises `UnknownDatabaseError` when the database itself fails."""
        ...

    def tables(self) -> DeclaredTables:
        """Every table and view with the names and types of its columns. Raises `UnknownDatabaseError`."""
        ...


def by_table(rows: Iterable[Sequence[object]]) -> DeclaredTables:
    """Groups rows of table, column and type.

    >>> by_table([("looms", "id", "INT"), ("looms", "name", None)])
    {'looms': [('id', 'INT'), ('name', '')]}
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind in rows:
        found.setdefault(str(table), []).append((str(column), str(kind or "")))
    return found


def capped(names: Sequence[str], rows: Sequence[tuple[object, ...]], limits: DatabaseLimits) -> QueryResult | Failure:
    """Returns the rows as a result, or the limit that they exceed."""
    if len(rows) > limits.rows:
        return Failure(kind=FailureKind.TOO_LARGE, detail=f"it gives more than {limits.rows} rows")
    return QueryResult(columns=tuple(names), rows=tuple(tuple(row) for row in rows))


def size_of(rows: Sequence[Sequence[object]]) -> int:
    """Bytes that these rows take, about."""
    return sum(sys.getsizeof(value) for row in rows for value in row)


def too_large(limits: DatabaseLimits) -> Failure:
    """The result takes more memory than allowed."""
    return Failure(kind=FailureKind.TOO_LARGE, detail=f"its result is larger than {limits.result_megabytes} MB")


def overdue(limits: DatabaseLimits) -> Failure:
    """The query ran past its time limit."""
    return Failure(kind=FailureKind.TOO_LONG, detail=f"it took more than {limits.seconds:g} s")


def driver(name: str) -> Any:
    """Imports a driver only when its database is used. DuckDB's is in the extra `verify`."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UnknownDatabaseError(f"{name} is missing: pip install 'sqlassay[verify]'") from error
