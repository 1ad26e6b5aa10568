"""The index that makes searches for text quick. It can be left out, because it makes each stored answer cost more."""

from __future__ import annotations

from typing import Any

from sqlalchemy import URL, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.logs import log
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, translate_errors
from service.storage.locks import AdvisoryLock, try_alone
from service.storage.partitions import limit_lock_wait

INDEX = "evaluations_texts"
_BUILD_SECONDS = 86_400.0
"""Longest time for the index of one partition."""
_REFUSED = frozenset({"42501", "58P01", "0A000"})
"""SQLSTATEs of an extension that this account may not create, or that the server does not have."""
_SCHEMA = text(
    "SELECT quote_ident(nspname) FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace"
    " WHERE extname = 'pg_trgm'"
)
_LACKING = text(
    f"""
    SELECT relid::regclass::text FROM pg_partition_tree('evaluations') WHERE isleaf AND NOT EXISTS (
        SELECT FROM pg_index JOIN pg_inherits ON inhrelid = indexrelid
        WHERE indrelid = relid AND inhparent = '{INDEX}'::regclass
    ) ORDER BY 1 DESC
    """  # noqa: S608 built from a constant
)


async def make_search_index(url: URL, settings: DatabaseSettings) -> bool:
    """Indexes the partitions that lack it, one by one, while others write. Raises `StoreUnavailable`.

    Partitions that are created later have it too. Returns whether searches can use it: not without the extension
    pg_trgm, nor while another process makes it.
    """
    engine = create_engine(url, settings.model_copy(update={"timeout": _BUILD_SECONDS}))
    try:
        with translate_errors(url):
            async with try_alone(engine, AdvisoryLock.SEARCH_INDEX) as alone:
                schema = await _extension(engine) if alone else None
                if schema is not None:
                    await _make(engine, f"USING gin (question {schema}.gin_trgm_ops, sql {schema}.gin_trgm_ops)")
                return schema is not None
    finally:
        await engine.dispose()


async def _extension(engine: AsyncEngine) -> str | None:
    """The schema of the extension, which is created if need be."""
    try:
        async with engine.begin() as connection:
            if await connection.scalar(_SCHEMA) is None:
                await connection.execute(text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
            return await connection.scalar(_SCHEMA)
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None)
        if state not in _REFUSED:
            raise
        log.warning("search_index_impossible", sqlstate=state, fix="CREATE EXTENSION pg_trgm as a superuser")
        return None


async def _make(engine: AsyncEngine, method: str) -> None:
    async with engine.begin() as connection:
        await limit_lock_wait(connection)
        await connection.execute(text(f"CREATE INDEX IF NOT EXISTS {INDEX} ON ONLY evaluations {method}"))
        lacking = (await connection.scalars(_LACKING)).all()
    # outside of transactions, so that writers of the partition need not wait
    async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        for partition in lacking:
            # a build that was cut short leaves an index that is not valid
            await _run(connection, f"DROP INDEX CONCURRENTLY IF EXISTS {partition}_texts")
            await _run(connection, f"CREATE INDEX CONCURRENTLY {partition}_texts ON {partition} {method}")
            await _run(connection, f"ALTER INDEX {INDEX} ATTACH PARTITION {partition}_texts")


async def _run(connection: AsyncConnection, statement: str) -> None:
    """Runs it in one message: behind a pooler, what is prepared first may run on another connection."""
    driver: Any = (await connection.get_raw_connection()).driver_connection
    await driver.execute(statement)
