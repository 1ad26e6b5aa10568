"""Six staged faults, and whether `sqlassay doctor`, the first thing that the runbooks name, finds cause and fix.

The pages that a newcomer follows are in the table of `docs/runbooks/README.md`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from redis.asyncio import Redis
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, migrate
from tests.conftest import administer
from tests.servers.fixtures import async_url, available, make_topics, new_kafka
from tests.servers.kafka_segments import batches, wrong_checksum
from tests.servers.kafka_server import KafkaServer
from tests.servers.model_server import ModelServer
from tests.servers.postgres_server import debian_postgres
from tests.servers.redis_server import RedisServer
from tests.servers.room import small_room
from tests.servers.sessions import own_server
from tests.service.commands.test_doctor import doctor
from tests.service.commands.test_doctor_faults import variables

pytestmark = pytest.mark.slow  # starts servers of its own and runs commands as processes
PAGES = Path(__file__).parents[3] / "docs" / "runbooks"


def url_of(database: URL) -> str:
    return database.render_as_string(hide_password=False)


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with own_server(ModelServer) as server:
        yield server


async def test_a_revoked_model_key(model: ModelServer, database: URL):
    model.script(
        {"do": "status", "status": 401, "headers": {}, "body": {"error": {"message": "Incorrect API key provided"}}}
    )
    settings = {
        "SQLASSAY_DATABASE__URL": url_of(database),
        "SQLASSAY_JUDGE__BASE_URL": model.url,
        "SQLASSAY_JUDGE__MODEL": "small",
        "SQLASSAY_JUDGE__API_KEY": "revoked",
        "SQLASSAY_JUDGE__PRICES": '{"small": {"sent": 0, "received": 0}}',
    }
    code, found = await doctor(**settings)
    assert (code, found["model.answers"]["health"]) == (1, "error"), found["model.answers"]
    assert "Incorrect API key provided" in found["model.answers"]["detail"]
    assert "SQLASSAY_JUDGE__API_KEY" in found["model.answers"]["fix"]
    model.script()
    code, found = await doctor(**settings)
    assert (code, found["model.answers"]["health"]) == (0, "ok"), found["model.answers"]
    assert "sqlassay doctor" in page("SQLAssayModelDown")
    assert "sqlassay doctor" in page("SQLAssayJudgeFailing")


async def test_a_corrupt_batch_in_a_partition(own_kafka: KafkaServer):
    kafka = new_kafka(own_kafka.bootstrap)
    await make_topics(kafka)
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
        for partition in (1, 2):
            await producer.send_and_wait(kafka.events, orjson.dumps({"question": "q"}), partition=partition)
    code, found = await doctor(**variables(kafka))
    assert (code, found[f"kafka.batches {kafka.events}"]["health"]) == (0, "ok")
    for batch in batches(own_kafka.home / "data", kafka.events, 2):
        batch.become(wrong_checksum(batch.raw))
    code, found = await doctor(**variables(kafka))
    stuck = {check: each for check, each in found.items() if check.startswith("kafka.batches")}
    assert (code, list(stuck)) == (1, [f"kafka.batches {kafka.events}-2"])
    (named,) = stuck.values()
    assert "offset 0" in named["detail"]
    assert "no other replica has a copy" in named["fix"]
    assert f"sqlassay skip --topic {kafka.events} --partition 2 --offsets 0-0 --yes" in named["fix"]
    assert "SQLAssayBatchUnreadable.md" in named["fix"]


async def test_a_program_that_reads_with_the_group_of_the_workers(own_kafka: KafkaServer):
    kafka = new_kafka(own_kafka.bootstrap)
    await make_topics(kafka)
    reader = AIOKafkaConsumer(
        kafka.events, bootstrap_servers=kafka.bootstrap, group_id=kafka.group, client_id="warehouse-loader"
    )
    async with reader:
        await reader.getmany(timeout_ms=100)
        code, found = await doctor(**variables(kafka))
    named = found[f"kafka.members {kafka.group}"]
    assert (code, named["health"], "warehouse-loader at 127.0.0.1" in named["detail"]) == (1, "error", True)
    assert "sqlassay rewind TIME --yes" in named["fix"]
    code, found = await doctor(**variables(kafka))
    assert (code, found["kafka.members"]["health"]) == (0, "ok")


async def test_a_redis_that_is_full(database: URL):
    with available(own_server(RedisServer)) as server:
        settings = {"SQLASSAY_DATABASE__URL": url_of(database), "SQLASSAY_REDIS__URL": server.url}
        _, found = await doctor(**settings)
        assert found["redis.writable"]["health"] == "ok"
        async with Redis.from_url(server.url) as client:
            await client.config_set("maxmemory", "1")
        code, found = await doctor(**settings)
    named = found["redis.writable"]
    assert (code, named["health"], "OutOfMemoryError" in named["detail"]) == (0, "warning", True), named
    assert "sqlassay doctor" in page("SQLAssayRedisFailing")


async def test_a_migration_lock_that_is_never_freed(database: URL):
    rival = create_async_engine(database, connect_args={"server_settings": {"application_name": "old release"}})
    waiter = create_async_engine(database)
    async with rival.connect() as holds, waiter.connect() as waits:
        await holds.execute(text("SELECT pg_advisory_lock(5317041)"))
        pid = await holds.scalar(text("SELECT pg_backend_pid()"))
        waiting = asyncio.create_task(waits.execute(text("SELECT pg_advisory_lock(5317041)")))
        await asyncio.sleep(6)
        code, found = await doctor(SQLASSAY_DATABASE__URL=url_of(database))
        named = found[f"database.locks {pid}"]
        assert (code, "old release" in named["detail"]) == (1, True)
        await administer(database, str(named["fix"]).rpartition(": ")[2])
        await waiting
        await holds.invalidate()
    code, found = await doctor(SQLASSAY_DATABASE__URL=url_of(database))
    assert (code, found["database.locks"]["health"]) == (0, "ok")
    await rival.dispose()
    await waiter.dispose()
    assert "sqlassay doctor" in page("SQLAssaySchemaOutdated")


async def test_a_full_disk_of_postgresql():
    with (
        available(own_server(debian_postgres)) as server,
        available(small_room(server.home / "room", 64, server.account)) as room,
    ):
        url = async_url(server.url)
        await administer(url, f"CREATE TABLESPACE room LOCATION '{room.path}'")
        await administer(url, "CREATE DATABASE full_one TABLESPACE room")
        database = url.set(database="full_one")
        engine = create_engine(database, DatabaseSettings())
        await migrate(engine)
        await engine.dispose()
        code, found = await doctor(SQLASSAY_DATABASE__URL=url_of(database))
        assert (code, found["database.space"]["health"]) == (0, "ok")
        await asyncio.to_thread(room.fill)
        code, found = await doctor(SQLASSAY_DATABASE__URL=url_of(database))
        room.clear()
    assert (code, found["database.space"]["health"]) == (1, "error"), found
    assert "space" in found["database.space"]["fix"]
    assert "sqlassay doctor" in page("SQLAssayPostgresRefusesWrites")
