"""Connects to PostgreSQL, translates its errors and migrates its schema."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import asyncpg
import orjson
from sqlalchemy import URL, CursorResult, Select, make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from consumers.errors import RefusedByStore, StoreUnavailable
from service.closed_transports import closed_as_reset
from service.failures import failure_text
from service.settings import Settings
from service.settings.storage_settings import DatabaseSettings
from service.storage.embedded import embedded_postgres
from service.storage.hosts import ConnectFirstWritable
from service.storage.libpq_url import read_url
from service.storage.migrating import is_migrated, migrate_tables
from service.storage.pooled_sessions import driver_error, session_options, watch_sessions
from service.storage.pooler import (
    FIX,
    LOST_STATEMENTS,
    connect_arguments,
    engine_options,
    refuse_unnamed_pooler,
    single_statements,
)
from service.storage.refusals import fix_of

_NO_RIGHT = "42501"
"""SQLSTATE of a statement that the role may not run."""
_REFUSALS = frozenset({"22", "23", "54"})
"""SQLSTATE classes that blame the values: data exceptions, constraints and limits."""
MIGRATION_SECONDS = 3_600.0
"""Longest time for one statement of a migration."""
_ENDED = frozenset({"57P01", "57P02", "08003"})
"""SQLSTATEs of a session that the server ended, or that ended amid a statement."""


@asynccontextmanager
async def database_url(settings: Settings) -> AsyncGenerator[URL]:
    """The configured database, or the embedded one, which runs while the context is open.

    Raises `SettingsError` for an invalid URL and `StoreUnavailable` when the embedded server cannot start.
    """
    if settings.database.url is not None:
        yield read_url(settings.database.url.get_secret_value())
        return
    embedded = embedded_postgres(settings.state_path)
    url = await asyncio.to_thread(embedded.__enter__)
    try:
        yield make_url(url)
    finally:
        await asyncio.to_thread(embedded.__exit__, None, None, None)


def create_engine(url: URL, settings: DatabaseSettings) -> AsyncEngine:
    """A pool of connections, each opened on first use."""
    engine = create_async_engine(
        url,
        pool_size=settings.pool_size,
        # a connection beyond the pool would be closed after use, and a new one reads what it needs of 30 partitions
        max_overflow=0,
        pool_use_lifo=True,
        pool_timeout=settings.timeout,
        hide_parameters=True,
        json_serializer=lambda value: orjson.dumps(value).decode(),  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType] SQLAlchemy types it as Any
        json_deserializer=orjson.loads,
        connect_args={
            "command_timeout": settings.timeout,
            "server_settings": {"timezone": "UTC"},
            "async_creator_fn": ConnectFirstWritable(),
            **connect_arguments(settings),
        },
        execution_options={**engine_options(settings), **session_options()},
    )
    watch_sessions(engine.sync_engine)
    return engine


@contextmanager
def translate_errors(url: URL) -> Generator[None]:
    """Raises `RefusedByStore` for values the database cannot hold, and `StoreUnavailable` for every other error."""
    try:
        with closed_as_reset():
            yield
    except (SQLAlchemyError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        cause = driver_error(error)
        state = str(getattr(cause, "sqlstate", None) or "")
        # the driver itself refuses values that do not fit a parameter
        if state[:2] in _REFUSALS or (isinstance(cause, asyncpg.InterfaceError) and isinstance(cause, ValueError)):
            # the driver's message may repeat the row, so it must not reach a traceback
            raise RefusedByStore(_schema_names(cause, state)) from None
        if state == _NO_RIGHT:
            raise StoreUnavailable(
                f"the database refuses ({failure_text(cause)}): sqlassay doctor prints the GRANT that is missing"
            ) from None
        if state in LOST_STATEMENTS:
            raise StoreUnavailable(f"a pooler before the database loses prepared statements ({state}): {FIX}") from None
        if (fix := fix_of(cause, url)) is not None:
            raise StoreUnavailable(f"the database refuses ({failure_text(cause)}): {fix}") from None
        if state in _ENDED or isinstance(cause, asyncpg.InterfaceError):
            raise StoreUnavailable(
                f"a session of the database was ended ({failure_text(cause)}): the next one says whether it answers"
            ) from None
        raise StoreUnavailable(
            f"the database does not answer ({failure_text(cause)}): start it or correct SQLASSAY_DATABASE__URL"
        ) from None


def _schema_names(cause: BaseException, state: str) -> str:
    """What was refused, in names of the schema only: PostgreSQL's message may repeat values of the row."""
    parts = [(name, getattr(cause, f"{name}_name", None)) for name in ("table", "column", "constraint")]
    where = ", ".join(f"{name} {value}" for name, value in parts if value)
    return f"{type(cause).__name__} {state}".rstrip() + (f" at {where}" if where else "")


@asynccontextmanager
async def open_database(settings: Settings, *, migrate_first: bool = True) -> AsyncGenerator[AsyncEngine]:
    """An engine with the schema up to date; raises `StoreUnavailable` or `SettingsError`."""
    async with database_url(settings) as url:
        engine = create_engine(url, settings.database)
        try:
            with translate_errors(url):
                await refuse_unnamed_pooler(engine, settings.database)
            if migrate_first:
                await _migrate_if_pending(engine, settings.database)
            yield engine
        finally:
            await engine.dispose()


async def fetch_rows(engine: AsyncEngine, query: Select[Any]) -> list[dict[str, Any]]:
    """The rows of a query, by column name; raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with single_statements(engine).connect() as connection:
            return rows_by_name(await connection.execute(query))


def rows_by_name(result: CursorResult[Any]) -> list[dict[str, Any]]:
    """The rows of a result, by column name: much quicker than a mapping of SQLAlchemy for each."""
    names = tuple(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


async def migrate(engine: AsyncEngine) -> str:
    """Migrates the tables and returns their revision; raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        return await migrate_tables(engine)


async def _migrate_if_pending(engine: AsyncEngine, settings: DatabaseSettings) -> None:
    """Migrates by connections of its own, on which a statement may take long: an index of a large table does."""
    with translate_errors(engine.url):
        if await is_migrated(engine):
            return
    patient = create_engine(engine.url, settings.model_copy(update={"timeout": MIGRATION_SECONDS}))
    try:
        await migrate(patient)
    finally:
        await patient.dispose()
