"""A DuckDB file: generated queries on a read-only file, without access to anything else."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from references.comparison.results import QueryResult
from references.databases.access import (
    BATCH,
    Allowance,
    DatabaseLimits,
    DeclaredTables,
    UnknownDatabaseError,
    by_table,
    capped,
    driver,
    overdue,
    size_of,
    too_large,
)
from references.databases.checked_query import checked_query
from references.databases.vocabulary import DUCKDB, OwnNames
from references.sandbox import Failure, FailureKind

_TABLES = (
    "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
    " ORDER BY table_name, column_index"
)


@dataclass(frozen=True, slots=True)
class DuckDatabase:
    """A DuckDB file, opened read-only without access to other files."""

    connection: Any
    limits: DatabaseLimits
    own: OwnNames

    @property
    def dialect(self) -> str:
        """DuckDB's."""
        return "duckdb"

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query as generated from its checked tree, and interrupts it at its deadline."""
        duckdb = driver("duckdb")
        written = checked_query(sql, DUCKDB, self.own)
        if isinstance(written, Failure):
            return written
        alarm = threading.Timer(self.limits.seconds, self.connection.interrupt)
        alarm.start()
        try:
            cursor = self.connection.execute(written)
            rows = self._fetch(cursor)
            names = [str(each[0]) for each in cursor.description or ()]
        except duckdb.InterruptException:
            return overdue(self.limits)
        except (duckdb.Error, RuntimeError, ValueError, OverflowError) as error:
            return Failure(kind=FailureKind.ERROR, detail=str(error))
        finally:
            alarm.cancel()
        return too_large(self.limits) if rows is None else capped(names, rows, self.limits)

    def tables(self) -> DeclaredTables:
        """Every table and view with its columns."""
        duckdb = driver("duckdb")
        try:
            return by_table(self.connection.execute(_TABLES).fetchall())
        except duckdb.Error as error:
            raise UnknownDatabaseError(f"its tables cannot be read: {error}") from error

    def _fetch(self, cursor: Any) -> list[tuple[object, ...]] | None:
        """Rows up to the limit, or `None` when they are too large."""
        rows: list[tuple[object, ...]] = []
        room = self.limits.result_megabytes << 20
        while len(rows) <= self.limits.rows and (batch := cursor.fetchmany(BATCH)):
            rows += batch
            room -= size_of(batch)
            if room < 0:
                return None
        return rows


@contextmanager
def duckdb_file(path: Path, limits: DatabaseLimits, allowance: Allowance) -> Generator[DuckDatabase]:
    """Opens the file. Raises `UnknownDatabaseError`."""
    if not path.is_file():
        raise UnknownDatabaseError("there is no such database: write duckdb:///folder/{db_id}.duckdb")
    duckdb = driver("duckdb")
    settings = {
        "enable_external_access": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "memory_limit": f"{limits.megabytes}MB",
        "temp_directory": "",
        "threads": 1,
        "lock_configuration": True,
    }
    try:
        connection = duckdb.connect(str(path), read_only=True, config=settings)
    except duckdb.Error as error:
        raise UnknownDatabaseError(f"{path} cannot be opened: {error}") from error
    with connection:
        types = connection.execute("SELECT type_name FROM duckdb_types() WHERE NOT internal").fetchall()
        own = OwnNames(functions=allowance.functions, types=frozenset(str(row[0]).lower() for row in types))
        yield DuckDatabase(connection, limits, own)
