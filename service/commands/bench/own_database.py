"""A migrated database of one measurement's own, on the configured server."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from service.settings import Settings
from service.storage.database import create_engine, database_url, migrate, translate_errors


@asynccontextmanager
async def own_database(settings: Settings, name: str) -> AsyncGenerator[AsyncEngine]:
    """Creates the database and drops it at the end."""
    async with database_url(settings) as url, _database(url, name) as own:
        engine = create_engine(own, settings.database)
        try:
            await migrate(engine)
            yield engine
        finally:
            await engine.dispose()


@asynccontextmanager
async def _database(url: URL, name: str) -> AsyncGenerator[URL]:
    await _administer(url, f"CREATE DATABASE {name}")
    try:
        yield url.set(database=name)
    finally:
        await _administer(url, f"DROP DATABASE {name} WITH (FORCE)")


async def _administer(url: URL, statement: str) -> None:
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    with translate_errors(url):
        async with engine.connect() as connection:
            await connection.execute(text(statement))
    await engine.dispose()
