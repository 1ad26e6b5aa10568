"""What all tests share: a real PostgreSQL, and a way to wait that does not guess."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, migrate
from service.storage.retention import do_housekeeping
from tests.servers.fixtures import (
    async_url,
    kafka,
    kafka_server,
    own_kafka,
    own_postgres,
    own_redis,
    postgres15,
    postgres18,
    redis,
    redis_url,
)
from tests.servers.named import DATABASE_URL
from tests.waiting import WaitUntil

__all__ = [
    "kafka",
    "kafka_server",
    "own_kafka",
    "own_postgres",
    "own_redis",
    "postgres15",
    "postgres18",
    "redis",
    "redis_url",
]
"""Fixtures of the servers; pytest finds them by their being here."""


@pytest.fixture(scope="session")
def postgres_url(request: pytest.FixtureRequest) -> URL:
    """A server's maintenance database: the one that SQLASSAY_TEST_DATABASE_URL names, else the wheel's."""
    found = os.environ.get(DATABASE_URL)
    return async_url(found) if found else request.getfixturevalue("postgres18")


@pytest.fixture(scope="session")
async def template(postgres_url: URL) -> AsyncIterator[str]:
    """A migrated database to copy."""
    name = f"template_{uuid.uuid4().hex}"
    await administer(postgres_url, f"CREATE DATABASE {name}")
    engine = create_engine(postgres_url.set(database=name), DatabaseSettings())
    await migrate(engine)
    # or each service would begin with making the days ahead
    await do_housekeeping(engine, None, datetime.now(UTC))
    await engine.dispose()
    yield name
    await administer(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


@asynccontextmanager
async def copied(server: URL, template: str) -> AsyncIterator[URL]:
    """A copy of a database, dropped at the end."""
    # copying files takes half the time of PostgreSQL's default, which logs each page
    name = f"test_{uuid.uuid4().hex}"
    await administer(server, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
    yield server.set(database=name)
    await administer(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def database(postgres_url: URL, template: str) -> AsyncIterator[URL]:
    """A migrated database of this test's own."""
    async with copied(postgres_url, template) as url:
        yield url


@pytest.fixture
async def empty_database(postgres_url: URL) -> AsyncIterator[URL]:
    """A database without tables."""
    name = f"empty_{uuid.uuid4().hex}"
    await administer(postgres_url, f"CREATE DATABASE {name}")
    yield postgres_url.set(database=name)
    await administer(postgres_url, f"DROP DATABASE {name} WITH (FORCE)")


async def administer(url: URL, statement: str) -> None:
    engine = create_async_engine(url, isolation_level="AUTOCOMMIT")
    async with engine.connect() as connection:
        await connection.execute(text(statement))
    await engine.dispose()


@pytest.fixture
def wait_until() -> WaitUntil:
    """Returns as soon as a condition holds; fails after a minute."""

    async def wait(condition: Callable[[], Awaitable[bool]]) -> None:
        deadline = time.monotonic() + 120
        while not await condition():
            assert time.monotonic() < deadline, "waited two minutes in vain"
            await asyncio.sleep(0.02)

    return wait
