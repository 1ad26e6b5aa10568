"""A migrated database of one measurement's own, on the configured server."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import AsyncEngine

from service.settings import Settings
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, database_url, migrate, translate_errors


@asynccontextmanager
async def own_database(settings: Settings, name: str) -> AsyncGenerator[AsyncEngine]:
    """Creates the database and drops it at the end."""
    async with database_url(settings) as url, _database(url, name, settings.database) as own:
        engine = create_engine(own, settings.database)
        try:
            await migrate(engine)
            yield engine
        finally:
            await engine.dispose()


@asynccontextmanager
async def _database(url: URL, name: str, settings: DatabaseSettings) -> AsyncGenerator[URL]:
    engine = create_engine(url, settings)
    try:
        await _administer(engine, f"CREATE DATABASE {name}")
        try:
            yield url.set(database=name)
        finally:
            await _administer(engine, f"DROP DATABASE {name} WITH (FORCE)")
    finally:
        await engine.dispose()


async def _administer(engine: AsyncEngine, statement: str) -> None:
    with translate_errors(engine.url):
        async with engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            await connection.execute(text(statement))
