"""Reads databases that the user named: SQLite files, PostgreSQL servers, DuckDB files.

A query may only read its database: read-only connections, one statement, no files, no extensions, a deadline and a row
limit. Functions that a driver cannot refuse (a server's own file functions) are refused by name.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from references.comparison.results import QueryResult
from references.sandbox import Failure, FailureKind

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,120}")
_STEPS = 10_000
"""SQLite instructions between two checks of the clock."""
_READS = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})
_SERVER_FUNCTIONS = re.compile(
    r"\b(pg_(?!typeof)\w+|lo_\w+|dblink\w*|set_config|current_setting|(?:query|table|database|schema|cursor)_to_xml\w*"
    r"|nextval|setval|txid_\w+|read_\w+|glob|getenv|sniff_\w+|parquet_\w+|\w{1,40}_scan)\b\"?\s*\(",
    re.IGNORECASE,
)
"""Server functions that reach files, settings, locks, sleep or other sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseLimits:
    """Limits of one query."""

    seconds: float = 10.0
    rows: int = 100_000
    """A larger result is a failure; it is never truncated."""
    megabytes: int = 1024
    """Memory of a database engine that runs in this process."""


class UnknownDatabaseError(ValueError):
    """The database does not exist or its name is invalid. The message says which, and what to do."""


class Database(Protocol):
    """One open database."""

    @property
    def dialect(self) -> str:
        """The sqlglot name of its dialect."""
        ...

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query."""
        ...


@contextmanager
def open_database(databases: str, db_id: str, limits: DatabaseLimits) -> Generator[Database]:
    """Opens the database `db_id` in a folder of `.sqlite` files, or at a PostgreSQL or DuckDB URL with `{db_id}`.

    Raises `UnknownDatabaseError`.
    """
    if not _NAME.fullmatch(db_id):
        raise UnknownDatabaseError(f"db_id {db_id[:80]!r} is not a database name: use letters, digits, _, - and . only")
    where = databases.replace("{db_id}", db_id) if "://" in databases else str(Path(databases) / f"{db_id}.sqlite")
    with open_one(where, limits) as opened:
        yield opened


@contextmanager
def open_one(where: str, limits: DatabaseLimits) -> Generator[Database]:
    """Opens a SQLite file, or a PostgreSQL or DuckDB URL. Raises `UnknownDatabaseError`."""
    scheme, _, path = where.partition("://")
    scheme = scheme.partition("+")[0] if "://" in where else ""
    if scheme in {"postgresql", "postgres"}:
        with _postgres(where, limits) as opened:
            yield opened
    elif scheme == "duckdb":
        with _duckdb(Path(path.removeprefix("/") if path.startswith("//") else path), limits) as opened:
            yield opened
    elif scheme:
        raise UnknownDatabaseError(f"unsupported database {scheme}://…: use a file, postgresql:// or duckdb://")
    else:
        with _sqlite(Path(where), limits) as opened:
            yield opened


def refused(sql: str, dialect: str) -> Failure | None:
    """Returns why a text is not sent to a database: it is not one query, or calls a function that reaches beyond it.

    >>> refused("SELECT 1", "postgres") is None
    True
    >>> refused("SELECT pg_read_file('/etc/passwd')", "postgres").detail
    'the function pg_read_file reaches beyond the tables'
    >>> refused("DROP TABLE t", "sqlite").detail
    'it is not a query'
    """
    called = _SERVER_FUNCTIONS.search(sql)
    if called is not None:
        name = called.group(1).lower()
        return Failure(kind=FailureKind.REFUSED, detail=f"the function {name} reaches beyond the tables")
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except (SqlglotError, RecursionError):
        return None  # the database reports the error better, and is read-only
    if len(trees) != 1:
        return Failure(kind=FailureKind.REFUSED, detail=f"it contains {len(trees)} statements instead of one")
    if not isinstance(trees[0], exp.Query):
        return Failure(kind=FailureKind.REFUSED, detail="it is not a query")
    return None


@dataclass(frozen=True, slots=True)
class SqliteDatabase:
    """A file, opened read-only with an authorizer."""

    connection: sqlite3.Connection
    limits: DatabaseLimits

    @property
    def dialect(self) -> str:
        """SQLite's."""
        return "sqlite"

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query. Text that is not UTF-8 is read with replacement characters."""
        ends = monotonic() + self.limits.seconds
        self.connection.set_progress_handler(lambda: int(monotonic() > ends), _STEPS)
        try:
            cursor = self.connection.execute(sql.strip().rstrip(";"))
            rows = cursor.fetchmany(self.limits.rows + 1)
        except (sqlite3.Error, sqlite3.Warning) as error:
            return self._failure(error)
        except (MemoryError, OverflowError, ValueError) as error:
            return Failure(kind=FailureKind.TOO_LARGE, detail=str(error) or type(error).__name__)
        if cursor.description is None:
            return Failure(kind=FailureKind.REFUSED, detail="it is not a query")
        return _capped([each[0] for each in cursor.description], rows, self.limits)

    def _failure(self, error: Exception) -> Failure:
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_INTERRUPT:
            return _overdue(self.limits)
        kind = FailureKind.REFUSED if code in {sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY} else FailureKind.ERROR
        return Failure(kind=kind, detail=str(error))


@contextmanager
def _sqlite(path: Path, limits: DatabaseLimits) -> Generator[SqliteDatabase]:
    if not path.is_file():
        raise UnknownDatabaseError(f"there is no database {path}: name the folder that holds it, or the file")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False)
    try:
        connection.text_factory = _decoded
        connection.execute(f"PRAGMA hard_heap_limit = {limits.megabytes * 1024 * 1024:d}")
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_authorizer(_only_reads)
        yield SqliteDatabase(connection, limits)
    finally:
        connection.close()


def _decoded(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _only_reads(
    action: int, first: str | None, second: str | None, database: str | None, trigger: str | None, /
) -> int:
    loads = action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in {"load_extension", "readfile", "writefile"}
    return sqlite3.SQLITE_OK if action in _READS and not loads else sqlite3.SQLITE_DENY


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A server's database, read in read-only transactions with a statement timeout."""

    connection: Any
    runner: asyncio.Runner
    limits: DatabaseLimits

    @property
    def dialect(self) -> str:
        """PostgreSQL's."""
        return "postgres"

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query, and reads rows up to the limit."""
        stopped = refused(sql, self.dialect)
        return stopped or self.runner.run(self._run(sql.strip().rstrip(";")))

    async def _run(self, sql: str) -> QueryResult | Failure:
        driver = _driver("asyncpg")
        try:
            async with asyncio.timeout(self.limits.seconds + 1), self.connection.transaction(readonly=True):
                statement = await self.connection.prepare(sql)
                cursor = await statement.cursor()
                rows = await cursor.fetch(self.limits.rows + 1)
                names = [str(each.name) for each in statement.get_attributes()]
        except (driver.QueryCanceledError, TimeoutError):
            return _overdue(self.limits)
        except (driver.PostgresError, driver.InterfaceError, ValueError) as error:
            return Failure(kind=FailureKind.ERROR, detail=str(error))
        return _capped(names, [tuple(row.values()) for row in rows], self.limits)


@contextmanager
def _postgres(url: str, limits: DatabaseLimits) -> Generator[PostgresDatabase]:
    driver = _driver("asyncpg")
    timeout = str(int(limits.seconds * 1000))
    settings = {"default_transaction_read_only": "on", "statement_timeout": timeout}
    with asyncio.Runner() as runner:
        try:
            connection = runner.run(driver.connect(url, timeout=limits.seconds, server_settings=settings))
        except (OSError, driver.PostgresError, driver.InterfaceError, ValueError) as error:
            raise UnknownDatabaseError(f"the database cannot be reached: {type(error).__name__}: {error}") from error
        try:
            yield PostgresDatabase(connection, runner, limits)
        finally:
            connection.terminate()


@dataclass(frozen=True, slots=True)
class DuckDatabase:
    """A DuckDB file, opened read-only without access to other files."""

    connection: Any
    limits: DatabaseLimits

    @property
    def dialect(self) -> str:
        """DuckDB's."""
        return "duckdb"

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query, and interrupts it at its deadline."""
        duckdb = _driver("duckdb")
        stopped = refused(sql, self.dialect)
        if stopped is not None:
            return stopped
        connection = self.connection
        alarm = threading.Timer(self.limits.seconds, connection.interrupt)
        alarm.start()
        try:
            cursor = connection.execute(sql)
            rows = cursor.fetchmany(self.limits.rows + 1)
            names = [str(each[0]) for each in cursor.description or ()]
        except duckdb.InterruptException:
            return _overdue(self.limits)
        except (duckdb.Error, RuntimeError) as error:
            return Failure(kind=FailureKind.ERROR, detail=str(error))
        finally:
            alarm.cancel()
        return _capped(names, rows, self.limits)


@contextmanager
def _duckdb(path: Path, limits: DatabaseLimits) -> Generator[DuckDatabase]:
    if not path.is_file():
        raise UnknownDatabaseError(f"there is no database {path}: write duckdb:///folder/{{db_id}}.duckdb")
    duckdb = _driver("duckdb")
    settings = {"enable_external_access": False, "memory_limit": f"{limits.megabytes}MB", "lock_configuration": True}
    try:
        connection = duckdb.connect(str(path), read_only=True, config=settings)
    except duckdb.Error as error:
        raise UnknownDatabaseError(f"{path} cannot be opened: {error}") from error
    with connection:
        yield DuckDatabase(connection, limits)


def _driver(name: str) -> Any:
    """Imports a driver only when its database is used. DuckDB's is in the extra `references`."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UnknownDatabaseError(f"{name} is missing: pip install 'sqlassay[references]'") from error


def _capped(names: Sequence[str], rows: Sequence[tuple[object, ...]], limits: DatabaseLimits) -> QueryResult | Failure:
    if len(rows) > limits.rows:
        return Failure(kind=FailureKind.TOO_LARGE, detail=f"it gives more than {limits.rows} rows")
    return QueryResult(columns=tuple(names), rows=tuple(tuple(row) for row in rows))


def _overdue(limits: DatabaseLimits) -> Failure:
    return Failure(kind=FailureKind.TOO_LONG, detail=f"it took more than {limits.seconds:g} s")
