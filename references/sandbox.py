"""A throw-away in-memory SQLite database that runs untrusted SQL.

Queries may only read its tables: an authorizer refuses files, attached databases, pragmas, extensions and writes. A
deadline, a row limit and a memory limit stop queries that do not end.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from time import thread_time
from typing import Any, TypeAlias, cast

from references.date_functions import DATE_FUNCTIONS
from references.ordered_aggregates import ORDERED_AGGREGATES
from references.sqlite_functions import HARMLESS_FUNCTIONS, UNSTEADY_FUNCTIONS

Value: TypeAlias = int | float | str | bytes | None
Row: TypeAlias = tuple[Value, ...]

_STEPS = 2_000
"""Virtual machine instructions between two checks of the clock."""
_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one query."""

    seconds: float = 0.5
    """CPU seconds of this thread."""
    rows: int = 2_000
    value_bytes: int = 1_000_000
    heap_bytes: int = 256 * 1024 * 1024
    """Memory of SQLite in this process."""


class FailureKind(StrEnum):
    ERROR = "error"
    """The query cannot run; the detail is SQLite's message."""
    REFUSED = "refused"
    """The query does something other than read its tables, or uses a function they do not determine."""
    TOO_LONG = "too_long"
    TOO_LARGE = "too_large"


class Folding(StrEnum):
    """When texts that differ only in (ASCII) letter case are equal."""

    LIKE = "like"
    """In LIKE only, as in SQLite."""
    NEVER = "never"
    ALWAYS = "always"
    """In LIKE, `=`, GROUP BY and DISTINCT of columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a query has no result."""

    kind: FailureKind
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The rows of a query, in order."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A table to create: its name, and the names and declared types of its columns."""

    name: str
    columns: tuple[tuple[str, str], ...]


class Sandbox:
    """One throw-away database. Not thread-safe."""

    __slots__ = ("_clear", "_connection", "_extended", "_fill", "_limits", "_refused", "_started", "_trusted")

    def __init__(self, tables: Sequence[Layout], limits: Limits | None = None, folding: Folding = Folding.LIKE) -> None:
        self._limits = limits or Limits()
        self._refused: str | None = None
        self._started: float | None = None
        self._connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=256)
        self._connection.execute(f"PRAGMA hard_heap_limit = {self._limits.heap_bytes:d}")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self._limits.value_bytes)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(f"PRAGMA case_sensitive_like = {int(folding is Folding.NEVER)}")
        collation = " COLLATE NOCASE" if folding is Folding.ALWAYS else ""
        for table in tables:
            columns = ", ".join(f"{quoted(name)} {declared(kind)}{collation}" for name, kind in table.columns)
            self._connection.execute(f"CREATE TABLE {quoted(table.name)} ({columns})")
        self._clear = [f"DELETE FROM {quoted(table.name)}" for table in tables]  # noqa: S608 - the name is quoted
        self._fill = {
            table.name: f"INSERT INTO {quoted(table.name)} VALUES ({', '.join('?' * len(table.columns))})"  # noqa: S608 - quoted
            for table in tables
        }
        self._extended = False
        self._trusted = True
        self._connection.set_authorizer(self._authorize)
        self._connection.set_progress_handler(self._overdue, _STEPS)
        self._connection.execute("BEGIN")

    def close(self) -> None:
        """Discards the database."""
        self._connection.close()

    def fill(self, rows: Mapping[str, Sequence[Row]]) -> None:
        """Replaces all rows by these, in this order. Tables that are not named become empty."""
        self._trusted = True
        execute = self._connection.execute
        for statement in self._clear:
            execute(statement)
        for table, values in rows.items():
            if values:
                self._connection.executemany(self._fill[table], values)

    def stored(self, table: str) -> tuple[Row, ...]:
        """The rows of a table as SQLite stores them, after its conversions."""
        self._trusted = True
        return tuple(self._connection.execute(f"SELECT * FROM {quoted(table)}"))  # noqa: S608 - the name is quoted

    def run(self, sql: str) -> Result | Failure:
        """Runs a query on the current rows."""
        self._trusted, self._refused = False, None
        self._started = None
        try:
            cursor = self._connection.execute(sql)
            rows = cursor.fetchmany(self._limits.rows + 1)
        except sqlite3.Error as error:
            if not self._extended and str(error).startswith("no such function"):
                self._add_functions()
                return self.run(sql)
            return self._failure(error)
        except (MemoryError, OverflowError, ValueError) as error:
            return Failure(kind=FailureKind.TOO_LARGE, detail=str(error) or type(error).__name__)
        if cursor.description is None:
            return Failure(kind=FailureKind.REFUSED, detail="the statement returns no rows")
        if len(rows) > self._limits.rows:
            cursor.close()
            return Failure(kind=FailureKind.TOO_LARGE, detail=f"more than {self._limits.rows} rows")
        return Result(columns=tuple(each[0] for each in cursor.description), rows=tuple(rows))

    def _add_functions(self) -> None:
        """Defines what SQLite lacks for the first query that calls such a function: most call none."""
        self._extended = True
        for name, (arguments, function) in DATE_FUNCTIONS.items():
            self._connection.create_function(name, arguments, function, deterministic=True)
        for name, (arguments, aggregate) in ORDERED_AGGREGATES.items():
            # Its type asks for functions that may be replaced.
            self._connection.create_window_function(name, arguments, cast("Any", aggregate))

    def _failure(self, error: sqlite3.Error) -> Failure:
        if self._refused is not None:
            return Failure(kind=FailureKind.REFUSED, detail=self._refused)
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_INTERRUPT:
            return Failure(kind=FailureKind.TOO_LONG, detail=f"more than {self._limits.seconds} s")
        kind = FailureKind.TOO_LARGE if code in {sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_NOMEM} else FailureKind.ERROR
        return Failure(kind=kind, detail=str(error))

    def _overdue(self) -> int:
        """Whether time is up. The clock starts at the first check: reading it would cost more than a short query."""
        if self._started is None:
            self._started = thread_time()
            return 0
        return int(thread_time() - self._started > self._limits.seconds)

    def _authorize(
        self, action: int, first: str | None, second: str | None, database: str | None, trigger: str | None, /
    ) -> int:
        if self._trusted or action in _READS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            name = (second or "").lower()
            if name in HARMLESS_FUNCTIONS or name in DATE_FUNCTIONS or name in ORDERED_AGGREGATES:
                return sqlite3.SQLITE_OK
            steady = "known to be harmless" if name not in UNSTEADY_FUNCTIONS else "determined by the rows"
            self._refused = f"the function {name} is not {steady}"
        else:
            self._refused = "the statement does something other than read its tables"
        return sqlite3.SQLITE_DENY


def quoted(name: str) -> str:
    """Quotes an identifier.

    >>> quoted("odd name")
    '"odd name"'
    """
    return '"' + name.replace('"', '""') + '"'


def declared(kind: str) -> str:
    """Quotes a declared type, which decides SQLite's conversions, so that it cannot end the declaration.

    >>> declared("VARCHAR(20)"), declared("")
    ('"VARCHAR(20)"', '')
    """
    return quoted(kind) if kind else ""
