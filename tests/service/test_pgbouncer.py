"""PostgreSQL behind PgBouncer, which lends each transaction another connection."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from functools import partial

import pytest
from pydantic import SecretStr
from sqlalchemy import URL, text

from consumers.errors import StoreUnavailable
from service.commands.doctor.database_checks import examine_database
from service.commands.doctor.findings import CheckHealth
from service.settings import Settings
from service.settings.loading import SettingsError
from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, fetch_rows, migrate, open_database
from service.storage.locks import AdvisoryLock, try_alone
from service.storage.retention import do_housekeeping
from service.storage.scores.search_index import make_search_index
from service.storage.tables import METADATA
from tests.servers.fixtures import available
from tests.servers.pgbouncer_server import PgBouncerServer
from tests.servers.sessions import own_server
from tests.service.conftest import service_on

pytestmark = pytest.mark.slow  # starts a server of its own
POOLED = DatabaseSettings(pooler="transaction")


@pytest.fixture(scope="module")
def pooler(postgres_url: URL) -> Iterator[PgBouncerServer]:
    with available(own_server(partial(PgBouncerServer, behind=postgres_url))) as server:
        yield server


@pytest.fixture
async def pooled(pooler: PgBouncerServer, empty_database: URL) -> URL:
    """The pooler's way to a migrated database."""
    url = pooler.url(empty_database.database or "")
    engine = create_engine(url, POOLED)
    await asyncio.gather(migrate(engine), migrate(engine))
    await engine.dispose()
    return url


def named(url: URL, pooler: str | None) -> DatabaseSettings:
    return DatabaseSettings.model_validate(
        {"url": SecretStr(url.render_as_string(hide_password=False)), "pooler": pooler}
    )


async def test_the_service_works(pooled: URL):
    event = {"question": "How many ovens are in Bergen?", "sql": "SELECT COUNT(*) FROM ovens WHERE city = 'Bergen'"}
    async with service_on(named(pooled, "transaction")) as client:
        replies = await asyncio.gather(
            *(client.post("/v1/events", json=[{"event_id": f"{n}-{m}", **event} for m in range(9)]) for n in range(20))
        )
        assert {each["status"] for reply in replies for each in reply.json()["results"]} == {"scored"}
        for _ in range(3):
            assert (await client.get("/v1/evaluations", params={"limit": 5})).status_code == 200
            assert (await client.get("/v1/report")).status_code == 200
        assert (await client.get("/readyz")).status_code == 200
    engine = create_engine(pooled, POOLED)
    for _ in range(3):
        assert await do_housekeeping(engine, 90, datetime.now(UTC), audit_days=90) is not None
    [row] = await fetch_rows(engine, METADATA.tables["evaluations"].select().limit(1))
    assert row["question"] == event["question"]
    assert await make_search_index(pooled, POOLED)
    await engine.dispose()


async def test_one_at_a_time_holds_a_lock_and_no_snapshot(pooled: URL):
    engine = create_engine(pooled, POOLED)
    async with try_alone(engine, AdvisoryLock.ALARMS) as first, try_alone(engine, AdvisoryLock.ALARMS) as second:
        assert (first, second) == (True, False)
        async with engine.connect() as connection:
            held = await connection.execute(
                text(
                    "SELECT backend_xid, backend_xmin FROM pg_stat_activity"
                    " WHERE state = 'idle in transaction' AND datname = current_database()"
                )
            )
            assert {tuple(row) for row in held} == {(None, None)}
    async with try_alone(engine, AdvisoryLock.ALARMS) as again:
        assert again
    await engine.dispose()


async def test_a_pooler_that_no_setting_names_is_refused_with_the_setting(pooled: URL):
    with pytest.raises((SettingsError, StoreUnavailable), match="SQLASSAY_DATABASE__POOLER=transaction"):
        async with open_database(Settings(database=named(pooled, None))):
            pass
    findings = {each.check: each for each in await examine_database(named(pooled, None))}
    assert "SQLASSAY_DATABASE__POOLER=transaction" in "".join(
        each.detail + (each.fix or "") for each in findings.values()
    )
    plain = named(pooled, "transaction").model_copy(update={"search_index": False})
    findings = {each.check: each for each in await examine_database(plain)}
    assert {each.health for each in findings.values()} == {CheckHealth.OK}


async def test_in_session_mode_statements_keep_their_names(postgres_url: URL, empty_database: URL):
    with available(own_server(partial(PgBouncerServer, behind=postgres_url, mode="session"))) as server:
        url = server.url(empty_database.database or "")
        with pytest.raises(SettingsError, match="leads to a pooler such as PgBouncer"):
            async with open_database(Settings(database=named(url, None))):
                pass
        async with AsyncExitStack() as stack:
            engine = await stack.enter_async_context(open_database(Settings(database=named(url, "session"))))
            async with engine.connect() as connection:
                assert await connection.scalar(text("SELECT count(*) FROM pg_prepared_statements")) > 0
