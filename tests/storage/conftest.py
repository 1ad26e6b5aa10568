"""A database of its own for each test, on PostgreSQL 15 and on 18."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import Evaluation, evaluate
from consumers.wire.events import decode_event
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, migrate
from tests.conftest import administer, copied

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
_TEMPLATES: dict[str, str] = {}


def evaluation(
    id_: str, sql: str = "SELECT 1", reason: UnscoredReason = UnscoredReason.EMPTY_SQL, **fields
) -> Evaluation:
    event = decode_event({"event_id": id_, "question": "q", "sql": sql, **fields}, require_id=True)
    return evaluate(event, Unscored(reason, "blank"), Rules(), NOW)


POSTGRES_15 = pytest.param("postgres15", marks=pytest.mark.slow)
"""Every test runs on it too: in the slow part."""


@pytest.fixture(params=[POSTGRES_15, "postgres18"])
def server(request) -> URL:
    """The maintenance database of one of the servers that must behave alike."""
    return request.getfixturevalue(request.param)


async def _template(server: URL) -> str:
    """A migrated database to copy, one for each server and run."""
    where = server.render_as_string()
    if where not in _TEMPLATES:
        name = f"template_{uuid.uuid4().hex}"
        await administer(server, f"CREATE DATABASE {name}")
        engine = create_engine(server.set(database=name), DatabaseSettings())
        await migrate(engine)
        await engine.dispose()
        _TEMPLATES[where] = name
    return _TEMPLATES[where]


@pytest.fixture
async def url(server) -> AsyncIterator[URL]:
    """A migrated database of this test's own."""
    async with copied(server, await _template(server)) as own:
        yield own


@pytest.fixture
async def bare_url(server) -> AsyncIterator[URL]:
    """A database without tables."""
    name = f"bare_{uuid.uuid4().hex}"
    await administer(server, f"CREATE DATABASE {name}")
    yield server.set(database=name)
    await administer(server, f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def engine(url) -> AsyncIterator[AsyncEngine]:
    opened = create_engine(url, DatabaseSettings())
    yield opened
    await opened.dispose()
