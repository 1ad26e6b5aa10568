from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any, TypeAlias

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from service.serving import create_app, running
from service.settings import Settings
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine
from tests.conftest import copied

Serving: TypeAlias = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@asynccontextmanager
async def service_on(database: URL | DatabaseSettings, **groups: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a service with these settings."""
    if isinstance(database, URL):
        database = DatabaseSettings(url=SecretStr(database.render_as_string(hide_password=False)))
    settings = Settings(**{"database": database, **groups})
    async with running(settings) as service:
        transport = httpx.ASGITransport(create_app(settings, service), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client


@pytest.fixture(scope="module")
async def shared_client(postgres_url: URL, template: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a service that the tests of a module share; none may count its rows."""
    async with copied(postgres_url, template) as database, service_on(database) as client:
        yield client


@pytest.fixture
def serving(database: URL) -> Serving:
    """A service on this test's database, with settings of the test's choice, and a client of it."""
    return partial(service_on, database)


@pytest.fixture
async def client(serving: Serving) -> AsyncIterator[httpx.AsyncClient]:
    async with serving() as opened:
        yield opened


@pytest.fixture
async def engine(database: URL) -> AsyncIterator[AsyncEngine]:
    """The service's database, to look at its rows and to change them."""
    opened = create_engine(database, DatabaseSettings())
    yield opened
    await opened.dispose()
