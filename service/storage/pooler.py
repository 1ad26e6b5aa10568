"""What changes where a pooler such as PgBouncer lends each transaction another connection of the server."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.settings.loading import SettingsError
from service.settings.storage_settings import DatabaseSettings
from service.settings.variables import variable_name

FIX = f"set {variable_name('database', 'pooler')}=transaction, or =session if that is its pool_mode"
LOST_STATEMENTS = frozenset({"26000", "42P05"})
"""SQLSTATEs of a prepared statement that is missing, or is another client's: a pooler lent another connection."""
_BY_TRANSACTION = "sqlassay_by_transaction"


def connect_arguments(settings: DatabaseSettings) -> dict[str, Any]:
    """How the driver prepares statements: behind such a pooler without names, which would outlive the transaction."""
    if settings.pooler != "transaction":
        return {}
    return {
        "statement_cache_size": 0,
        "prepared_statement_cache_size": 0,
        "prepared_statement_name_func": str,
    }


def engine_options(settings: DatabaseSettings) -> dict[str, bool]:
    """Options of the engine by which `single_statements` knows it."""
    return {_BY_TRANSACTION: settings.pooler == "transaction"}


def single_statements(engine: AsyncEngine) -> AsyncEngine:
    """The engine without transactions, which take a single statement two more trips.

    Behind a pooler each statement keeps its transaction: without one, its parts may reach different connections.
    """
    if engine.sync_engine.get_execution_options().get(_BY_TRANSACTION):
        return engine
    return engine.execution_options(isolation_level="AUTOCOMMIT")


async def is_pooled(engine: AsyncEngine) -> bool:
    """Whether a pooler stands between: the server's process is not the one that was named at the connection's start."""
    async with engine.connect() as connection:
        working = await connection.scalar(text("SELECT pg_backend_pid()"))
        driver: Any = (await connection.get_raw_connection()).driver_connection
        return driver.get_server_pid() != working


async def refuse_unnamed_pooler(engine: AsyncEngine, settings: DatabaseSettings) -> None:
    """Raises `SettingsError` where a pooler is found that the settings do not name."""
    if settings.url is not None and settings.pooler is None and await is_pooled(engine):
        raise SettingsError(f"SQLASSAY_DATABASE__URL leads to a pooler such as PgBouncer: {FIX}")
