"""A PostgreSQL server: generated queries, in read-only transactions, by a role that can do nothing but read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
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
from references.databases.postgres_names import own_names
from references.databases.postgres_role import powers
from references.databases.vocabulary import POSTGRES, OwnNames
from references.sandbox import Failure, FailureKind

_GRACE = 1.0
"""Seconds after the server's own limit at which the query is cancelled from here."""


_TABLES = (
    "SELECT table_name, column_name, data_type FROM information_schema.columns"
    " WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY table_name, ordinal_position"
)


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A server's database, read in read-only transactions with time limits."""

    connection: Any
    runner: asyncio.Runner
    limits: DatabaseLimits
    own: OwnNames

    @property
    def dialect(self) -> str:
        """PostgreSQL's."""
        return "postgres"

    def run(self, sql: str) -> QueryResult | Failure:
        """Runs one query as generated from its checked tree, and reads rows up to the limit.

        Raises `UnknownDatabaseError` when the connection is lost.
        """
        written = checked_query(sql, POSTGRES, self.own)
        return written if isinstance(written, Failure) else self.runner.run(self._run(written))

    def tables(self) -> DeclaredTables:
        """Every table and view that the role may read, with its columns."""
        return self.runner.run(self._tables())

    async def _tables(self) -> DeclaredTables:
        asyncpg = driver("asyncpg")
        try:
            async with asyncio.timeout(self.limits.seconds + _GRACE):
                return by_table([tuple(row.values()) for row in await self.connection.fetch(_TABLES)])
        except (asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError, OSError) as error:
            raise UnknownDatabaseError(f"its tables cannot be read: {error}") from None

    async def _run(self, sql: str) -> QueryResult | Failure:
        asyncpg = driver("asyncpg")
        try:
            async with asyncio.timeout(self.limits.seconds + _GRACE), _rolled_back(self.connection):
                # a prepared statement is one statement: the server refuses a second
                statement = await self.connection.prepare(sql)
                names = [str(each.name) for each in statement.get_attributes()]
                rows = await self._fetch(await statement.cursor())
        except (asyncpg.QueryCanceledError, TimeoutError):
            return overdue(self.limits)
        except (
            asyncpg.PostgresError,
            asyncpg.InterfaceError,
            asyncpg.InternalClientError,
            ValueError,
            OSError,
        ) as error:
            if self.connection.is_closed():
                raise UnknownDatabaseError(f"the connection was lost: {error}") from None
            return Failure(kind=FailureKind.ERROR, detail=str(error))
        return too_large(self.limits) if rows is None else capped(names, rows, self.limits)

    async def _fetch(self, cursor: Any) -> list[tuple[object, ...]] | None:
        """Rows up to the limit, or `None` when they are too large."""
        rows: list[tuple[object, ...]] = []
        room = self.limits.result_megabytes << 20
        while len(rows) <= self.limits.rows and (batch := await cursor.fetch(BATCH)):
            plain = [tuple(row.values()) for row in batch]
            rows += plain
            room -= size_of(plain)
            if room < 0:
                return None
        return rows


@asynccontextmanager
async def _rolled_back(connection: Any) -> AsyncGenerator[None]:
    """A read-only transaction that never commits: what a function could write all the same is undone."""
    transaction = connection.transaction(readonly=True, isolation="repeatable_read")
    await transaction.start()
    try:
        yield
    finally:
        await transaction.rollback()


def _session(limits: DatabaseLimits) -> dict[str, str]:
    """Settings of the session. A query cannot change them: it may neither SET nor call `set_config`."""
    most = str(int(limits.seconds * 1000))
    return {
        "default_transaction_read_only": "on",
        "statement_timeout": most,
        "lock_timeout": most,
        "idle_in_transaction_session_timeout": str(int((limits.seconds + 5 * _GRACE) * 1000)),
        # the server ends a query whose client was killed
        "client_connection_check_interval": "1000",
        "standard_conforming_strings": "on",
        "max_parallel_workers_per_gather": "0",
        "jit": "off",
    }


@contextmanager
def postgres_server(url: str, limits: DatabaseLimits, allowance: Allowance) -> Generator[PostgresDatabase]:
    """Connects, and refuses a role that can do more than read. Raises `UnknownDatabaseError`."""
    with asyncio.Runner() as runner:
        connection = runner.run(_connect(url, limits))
        try:
            own = runner.run(_prepare(connection, limits, allowance))
            yield PostgresDatabase(connection, runner, limits, own)
        finally:
            connection.terminate()


async def _connect(url: str, limits: DatabaseLimits) -> Any:
    asyncpg = driver("asyncpg")
    # libpq's, which the driver would send to the server; the limit holds for connecting too
    url = re.sub(r"(?<=[?&])connect_timeout=\d*(?:&|$)", "", url)
    try:
        return await asyncpg.connect(url, timeout=limits.seconds, server_settings=_session(limits))
    except asyncpg.PostgresError as error:
        raise UnknownDatabaseError(_rejected(error)) from None
    except Exception as error:  # A driver may raise anything about a malformed URL, with a part of the password in it.
        raise UnknownDatabaseError(_unreachable(error)) from None


def _rejected(error: Any) -> str:
    """Why the server refuses the connection. What it says repeats the URL's parts, so only its code is shown."""
    state = str(error.sqlstate)
    if state.startswith("28"):
        return "the server refuses the user or the password"
    if state == "42704":
        return "the URL sets a parameter that neither the driver nor the server has: remove it"
    return "the server has no such database" if state == "3D000" else f"the server refuses a connection ({state})"


def _unreachable(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, UnicodeError):
        return f"the database cannot be reached ({type(error).__name__}): is the server running, and its address right?"
    return (
        "the database's URL cannot be read: write postgresql://user:password@host:5432/{db_id}, with every character of"
        " the password that is not a letter or digit as %XX"
    )


async def _prepare(connection: Any, limits: DatabaseLimits, allowance: Allowance) -> OwnNames:
    asyncpg = driver("asyncpg")
    try:
        async with asyncio.timeout(limits.seconds + _GRACE):
            await _limit_temporary_files(connection, asyncpg)
            found = [] if allowance.any_role else await powers(connection)
            own = await own_names(connection, allowance)
            await _fix_search_path(connection)
    except (asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError, OSError) as error:
        raise UnknownDatabaseError(f"the rights of the role cannot be read: {error}") from None
    if found:
        raise UnknownDatabaseError(
            f"the role {'; it '.join(found)}: use a role that may only read (docs/references.md gives the SQL),"
            " or accept this one with --any-role"
        )
    return own


async def _limit_temporary_files(connection: Any, asyncpg: Any) -> None:
    """A superuser may limit its own files; for another role an administrator must have done so."""
    if await connection.fetchval("SHOW temp_file_limit") != "-1":
        return
    try:
        await connection.execute("SET temp_file_limit = '1GB'")
    except asyncpg.InsufficientPrivilegeError:
        return


async def _fix_search_path(connection: Any) -> None:
    """Puts the server's own functions first, whatever path the role or the database was given."""
    named = await connection.fetchval(
        "SELECT pg_catalog.string_agg(pg_catalog.quote_ident(name), ', ' ORDER BY place)"
        " FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) WITH ORDINALITY AS path (name, place)"
        " WHERE name NOT LIKE 'pg\\_%' AND name <> 'information_schema'"
    )
    await connection.execute(f"SET search_path = {', '.join(each for each in ('pg_catalog', named) if each)}")
