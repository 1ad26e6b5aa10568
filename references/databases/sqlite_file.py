"""A SQLite file: opened read-only, with an authorizer that knows what SQLite itself understood."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from references.comparison.results import QueryResult
from references.databases.access import (
    BATCH,
    DatabaseLimits,
    DeclaredTables,
    UnknownDatabaseError,
    by_table,
    capped,
    overdue,
    size_of,
    too_large,
)
from references.sandbox import Failure, FailureKind
from references.sqlite_functions import HARMLESS_FUNCTIONS

_STEPS = 10_000
"""SQLite instructions between two checks of the clock."""
_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})
_FUNCTIONS = HARMLESS_FUNCTIONS | {"random", "randomblob"}
_INNER_TABLES = ("sqlite_", "pragma_", "dbstat", "bytecode", "tables_used", "fts3tokenize", "fts4aux", "fts5vocab")
"""How tables begin that show the file, the settings or this process instead of the user's rows."""
_TABLES = (
    "SELECT held.name, seen.name, seen.type FROM sqlite_master AS held, pragma_table_xinfo(held.name) AS seen"
    " WHERE held.type IN ('table', 'view') AND held.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY held.name, seen.cid"
)
_CAPS = {
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LENGTH: 32 * 1024 * 1024,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1_000_000,
}
"""Limits inside SQLite; a function that runs long on one value is not interrupted."""
_UNREADABLE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
"""Primary codes that say something about the file, whatever the query is."""


@dataclass(frozen=True, slots=True)
class SqliteDatabase:
    """A file, opened read-only with an authorizer."""

    connection: sqlite3.Connection
    limits: DatabaseLimits
    path: Path

    @property
    def dialect(self) -> str:
        """SQLite's."""
        return "sqlite"

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query. Text that is not UTF-8 is read with replacement characters.

        Raises `UnknownDatabaseError` where the file is damaged or gone.
        """
        ends = monotonic() + self.limits.seconds
        self.connection.set_progress_handler(lambda: int(monotonic() > ends), _STEPS)
        try:
            cursor = self.connection.execute(sql.strip().rstrip(";"))
            rows = self._fetch(cursor)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self._failure(error)
        except (MemoryError, OverflowError, ValueError) as error:
            return Failure(kind=FailureKind.TOO_LARGE, detail=str(error) or type(error).__name__)
        if cursor.description is None:
            return Failure(kind=FailureKind.REFUSED, detail="it is not a query")
        names = [each[0] for each in cursor.description]
        return too_large(self.limits) if rows is None else capped(names, rows, self.limits)

    def tables(self) -> DeclaredTables:
        """Every table and view with its columns, as the file declares them."""
        self.connection.set_authorizer(None)
        try:
            return by_table(self.connection.execute(_TABLES))
        except sqlite3.Error as error:
            raise UnknownDatabaseError(f"its tables cannot be read: {error}") from error
        finally:
            self.connection.set_authorizer(_only_reads)

    def _fetch(self, cursor: sqlite3.Cursor) -> list[tuple[object, ...]] | None:
        """Rows up to the limit, or `None` when they are too large."""
        rows: list[tuple[object, ...]] = []
        room = self.limits.result_megabytes << 20
        while len(rows) <= self.limits.rows and (batch := cursor.fetchmany(BATCH)):
            rows += batch
            room -= size_of(batch)
            if room < 0:
                cursor.close()
                return None
        return rows

    def _failure(self, error: Exception) -> Failure:
        code = getattr(error, "sqlite_errorcode", None)
        # the low byte is the primary code
        if code is not None and code & 0xFF in _UNREADABLE:
            raise UnknownDatabaseError(f"{self.path} cannot be read: {error}") from error
        if code == sqlite3.SQLITE_INTERRUPT:
            return overdue(self.limits)
        kind = FailureKind.REFUSED if code in {sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY} else FailureKind.ERROR
        return Failure(kind=kind, detail=str(error))


@contextmanager
def sqlite_file(path: Path, limits: DatabaseLimits) -> Generator[SqliteDatabase]:
    """Opens the file. Raises `UnknownDatabaseError`."""
    if not path.is_file():
        # a URL without // is read as a path, and may hold a password
        shown = "of this name" if {"@", "="} & set(str(path)) or ":/" in str(path) else path
        raise UnknownDatabaseError(f"there is no database {shown}: name the folder that holds it, or the file")
    connection = _connected(path)
    try:
        connection.execute(f"PRAGMA hard_heap_limit = {limits.megabytes * 1024 * 1024:d}")
        restricted(connection)
        yield SqliteDatabase(connection, limits, path)
    except sqlite3.DatabaseError as error:
        raise UnknownDatabaseError(f"{path} cannot be opened: {error}") from error
    finally:
        connection.close()


def _connected(path: Path) -> sqlite3.Connection:
    try:
        if not path.stat().st_size:
            # SQLite reads it as a database without tables
            raise UnknownDatabaseError(f"{path} is empty: it holds no database")
        return sqlite3.connect(read_only(path), uri=True, check_same_thread=False)
    except (sqlite3.Error, OSError) as error:
        raise UnknownDatabaseError(f"{path} cannot be opened: {error}") from error


def read_only(path: Path) -> str:
    """The URI that opens a file for reading only."""
    return f"{path.absolute().as_uri()}?mode=ro"


def restricted(connection: sqlite3.Connection) -> None:
    """Lets a connection read and nothing else from here on."""
    connection.text_factory = _decoded
    # in memory: a large sort cannot fill the disk
    connection.execute("PRAGMA temp_store = MEMORY")
    # what a view of the file calls is held to what the file's owner may call, too
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA query_only = ON")
    for category, cap in _CAPS.items():
        connection.setlimit(category, cap)
    # their first use declares them, which the authorizer would refuse
    connection.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')")
    connection.set_authorizer(_only_reads)


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _only_reads(
    action: int, first: str | None, second: str | None, database: str | None, trigger: str | None, /
) -> int:
    if action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").lower() in _FUNCTIONS
    elif action == sqlite3.SQLITE_READ:
        allowed = not (first or "").lower().startswith(_INNER_TABLES)
    else:
        allowed = action in _READS
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
