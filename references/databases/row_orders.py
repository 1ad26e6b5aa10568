"""Runs a query where its tables hold their rows in reverse, to see whether its result depends on their order."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from sqlglot import exp

from references.comparison.results import QueryResult
from references.databases.access import Database
from references.databases.qualified import ResolvingDatabase
from references.databases.sqlite_file import SqliteDatabase, read_only, restricted
from references.names import bare
from references.sandbox import Failure, FailureKind
from scoring.query import Unscored
from scoring.sql.parsing import parse_query

MOST_ROWS = 100_000
"""A query on a table with more rows is not run again."""
Run: TypeAlias = Callable[[str], QueryResult | Failure]
_TABLES = "SELECT name, sql FROM held.sqlite_master WHERE type = 'table'"
_OWN_ORDER = re.compile(r"\bCOLLATE\b|\bVIRTUAL\b|\bWITHOUT\s+ROWID\b", re.IGNORECASE)
"""Tables that a plain copy would change, or that have no order of their own."""


def reversed_rows(database: Database) -> Run | None:
    """What runs a query on copies of its tables with their rows in reverse; `None` unless it is a SQLite file."""
    file = database.inner if isinstance(database, ResolvingDatabase) else database
    return _Reversed(file) if isinstance(file, SqliteDatabase) else None


@dataclass(frozen=True, slots=True)
class _Reversed:
    database: SqliteDatabase

    def __call__(self, sql: str) -> QueryResult | Failure:
        parsed = parse_query(sql, self.database.dialect)
        if isinstance(parsed, Unscored):
            return Failure(kind=FailureKind.ERROR, detail=parsed.detail)
        named = {bare(table.name).lower() for table in parsed.tree.find_all(exp.Table)}
        with closing(sqlite3.connect(":memory:", uri=True)) as copy:
            try:
                _copy(self.database.path, named, copy)
            except sqlite3.Error as error:
                return Failure(kind=FailureKind.ERROR, detail=f"its tables cannot be copied: {error}")
            restricted(copy)
            return ResolvingDatabase(SqliteDatabase(copy, self.database.limits, self.database.path)).run(sql)


def _copy(path: Path, named: set[str], copy: sqlite3.Connection) -> None:
    """Copies the named tables that are small enough; a query that names another one fails there."""
    copy.execute("ATTACH DATABASE ? AS held", (read_only(path),))
    for name, ddl in copy.execute(_TABLES).fetchall():
        if str(name).lower() not in named or _OWN_ORDER.search(ddl or ""):
            continue
        quoted = '"' + str(name).replace('"', '""') + '"'
        (rows,) = copy.execute(f"SELECT COUNT(*) FROM held.{quoted}").fetchone()  # noqa: S608 quoted
        if rows <= MOST_ROWS:
            copy.execute(f"CREATE TABLE main.{quoted} AS SELECT * FROM held.{quoted} ORDER BY rowid DESC")  # noqa: S608
    copy.commit()
    copy.execute("DETACH DATABASE held")
