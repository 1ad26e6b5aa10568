"""What a process says of the servers that it depends on, on real ones: topics, lag without a worker, and outages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from consumers.errors import Unavailable
from service.metrics import Metrics
from service.metrics.dependency_metrics import Dependency
from service.pipeline.dependency_probes import DatabaseProbe, ModelProbe
from service.pipeline.dependency_watch import DependencyWatch, WatchPolicy
from service.pipeline.running import ProcessRole
from service.serving import create_app, running
from service.settings import Settings
from service.settings.observability_settings import MetricSettings
from service.settings.storage_settings import DatabaseSettings, RedisSettings
from service.storage.database import create_engine
from service.storage.database_sight import look_at_database
from tests.conftest import administer
from tests.servers.fixtures import Kafka, RedisSpace, make_topics, new_kafka
from tests.servers.kafka_server import KafkaServer
from tests.servers.processes import free_port
from tests.service.test_kafka import SAMPLE, Bench
from tests.waiting import WaitUntil

QUICK = WatchPolicy(every=0.1, timeout=2.0, patience=0.5)


@asynccontextmanager
async def watched(settings: Settings, role: ProcessRole) -> AsyncIterator[httpx.AsyncClient]:
    async with running(settings, role, QUICK) as service:
        transport = httpx.ASGITransport(create_app(settings, service), raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=30) as client:
            yield client


async def shown(client: httpx.AsyncClient) -> dict[tuple[str, ...], float]:
    """Each sample by its name and its label values, in the order of the labels' names."""
    families = text_string_to_metric_families((await client.get("/metrics")).text)
    return {
        (each.name, *(value for _, value in sorted(each.labels.items()))): each.value
        for family in families
        for each in family.samples
    }


async def state(client: httpx.AsyncClient, dependency: str) -> float | None:
    return (await shown(client)).get(("sqlassay_dependency_up", dependency))


@pytest.mark.slow  # waits for the lag to be shown
async def test_an_api_shows_the_lag_of_workers_that_are_gone(database: URL, kafka: Kafka, wait_until: WaitUntil):
    bench = Bench(database, kafka)
    await bench.send(*({**SAMPLE, "event_id": str(number)} for number in range(7)))
    async with watched(bench.settings(), ProcessRole.API) as api:
        lag = "sqlassay_kafka_group_lag_records"

        async def behind(records: int) -> bool:
            seen = await shown(api)
            group = {name: value for name, value in seen.items() if name[:2] == (lag, kafka.group)}
            assert {name[3] for name in group} <= {kafka.events}
            return bool(group) and sum(group.values()) == records

        await wait_until(lambda: behind(7))
        seen = await shown(api)
        assert seen["sqlassay_role", "api"] == 1
        assert sum(value for name, value in seen.items() if name[0] == "sqlassay_kafka_end_offset") == 7
        assert seen["sqlassay_kafka_topic_partitions", kafka.events] == 4
        assert seen["sqlassay_kafka_leaderless_partitions", kafka.events] == 0
        async with bench.serving():
            await wait_until(lambda: behind(0))
        await bench.send({**SAMPLE, "event_id": "one more"})
        await wait_until(lambda: behind(1))


async def test_a_topic_that_is_missing_has_no_partitions_and_looking_does_not_make_it(
    database: URL, kafka_server: str, wait_until: WaitUntil
):
    kafka = new_kafka(kafka_server)
    bench = Bench(database, kafka)
    async with watched(bench.settings(), ProcessRole.API) as api:

        async def counted() -> bool:
            return (await shown(api)).get(("sqlassay_kafka_topic_partitions", kafka.events)) == 0

        await wait_until(counted)
        names = {name[1] for name in await shown(api) if name[0] == "sqlassay_kafka_topic_partitions"}
        # the broker makes the others when they are first written
        assert names == {kafka.events}
        await make_topics(kafka)

        async def made() -> bool:
            return (await shown(api)).get(("sqlassay_kafka_topic_partitions", kafka.events)) == 4

        await wait_until(made)


@pytest.mark.slow  # waits for a broker that is away
@pytest.mark.parametrize("how", ["kill", "freeze"])
@pytest.mark.parametrize("role", [ProcessRole.API, ProcessRole.WORKER])
async def test_without_kafka_readiness_names_it_and_no_lag_is_shown(
    database: URL, own_kafka: KafkaServer, wait_until: WaitUntil, role: ProcessRole, how: str
):
    kafka = new_kafka(own_kafka.bootstrap)
    await make_topics(kafka)
    bench = Bench(database, kafka)
    await bench.send({**SAMPLE, "event_id": "a"})
    async with watched(bench.settings(timeout=2.0), role) as client:

        async def says(status: int) -> bool:
            lags = {name for name in await shown(client) if name[0].endswith(("_lag_records", "_end_offset"))}
            return (await client.get("/readyz")).status_code == status and bool(lags) == (status == 200)

        await wait_until(lambda: says(200))
        own_kafka.kill() if how == "kill" else own_kafka.freeze()
        await wait_until(lambda: says(503))
        assert await state(client, "kafka") == 0
        error = (await client.get("/readyz")).json()["error"]
        assert error["code"] == "NOT_READY"
        assert f"kafka: Kafka cannot be reached at {own_kafka.bootstrap}" in error["message"]
        assert (await client.get("/readyz?without=kafka")).status_code == 200
        assert (await client.get("/healthz")).status_code == 200
        if role is ProcessRole.API:
            refused = await client.post("/v1/events", json={**SAMPLE, "event_id": "b"})
            assert refused.status_code == 503
            assert "Kafka cannot be reached" in refused.json()["error"]["message"]
        own_kafka.start() if how == "kill" else own_kafka.thaw()
        await wait_until(lambda: says(200))
        assert await state(client, "kafka") == 1


@pytest.mark.slow  # waits for a broker that is away
async def test_an_api_that_never_published_does_not_call_the_topic_missing_while_kafka_is_away(
    database: URL, own_kafka: KafkaServer
):
    kafka = new_kafka(own_kafka.bootstrap)
    await make_topics(kafka)
    async with watched(Bench(database, kafka).settings(timeout=2.0), ProcessRole.API) as api:
        own_kafka.kill()
        refused = await api.post("/v1/events", json={**SAMPLE, "event_id": "a"})
        assert refused.status_code == 503
        assert "Kafka cannot be reached" in refused.json()["error"]["message"]
        assert "no topic" not in refused.text


async def test_readiness_rejects_a_dependency_that_there_is_not(client: httpx.AsyncClient):
    refused = await client.get("/readyz?without=cassandra")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "INVALID_PARAMETER")


@pytest.mark.slow  # takes over a second
async def test_a_redis_that_is_away_is_shown_and_does_not_make_a_process_unready(
    database: URL, redis: RedisSpace, wait_until: WaitUntil
):
    stored = DatabaseSettings(url=SecretStr(database.render_as_string(hide_password=False)))
    for address, up in ((redis.url, 1.0), (f"redis://127.0.0.1:{free_port()}/0", 0.0)):
        settings = Settings(database=stored, redis=RedisSettings(url=SecretStr(address)))
        async with watched(settings, ProcessRole.ALL) as client:

            async def as_expected(up: float = up, client: httpx.AsyncClient = client) -> bool:
                return (await state(client, "redis"), await state(client, "postgresql")) == (up, 1)

            await wait_until(as_expected)
            assert (await client.get("/readyz")).status_code == 200


async def test_the_database_says_whether_it_can_be_written_and_has_every_migration(database: URL, empty_database: URL):
    engine, empty = create_async_engine(database), create_async_engine(empty_database)
    sight = await look_at_database(engine, 5, lambda: 0.0)
    assert (sight.writable, sight.schema_current) == (True, True)
    # by a clock that stands at 1970
    assert sight.skew > 1e9
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        await connection.execute(text(f"ALTER DATABASE {database.database} SET default_transaction_read_only = on"))
    await engine.dispose()
    sight = await look_at_database(engine, 5, lambda: 0.0)
    assert (sight.writable, sight.schema_current) == (False, False)
    assert not (await look_at_database(empty, 5, lambda: 0.0)).schema_current
    await engine.dispose()
    async with empty.begin() as connection:
        await connection.execute(text("CREATE TABLE alembic_version (version_num text)"))
        await connection.execute(text("INSERT INTO alembic_version VALUES ('9999')"))
    # of a later version, which this one may still read and write
    assert (await look_at_database(empty, 5, lambda: 0.0)).schema_current
    await empty.dispose()


async def test_sessions_that_a_role_made_read_only_are_replaced_once_it_may_write(database: URL, postgres_url: URL):
    role, metrics = f"writer_{database.database}", Metrics(MetricSettings(), "local")
    await administer(postgres_url, f"CREATE ROLE {role} SUPERUSER LOGIN PASSWORD 'quartz'")
    url = database.set(username=role, password="quartz")
    own, pool = (create_engine(url, DatabaseSettings(pool_size=2)) for _ in range(2))
    probe = DatabaseProbe(engine=own, pool=pool, metrics=metrics)
    await administer(postgres_url, f"ALTER ROLE {role} SET default_transaction_read_only = on")
    async with pool.connect() as one, pool.connect() as two:
        for each in (one, two):
            await each.execute(text("SELECT 1"))
    await probe(5)
    assert metrics.registry.get_sample_value("sqlassay_postgresql_writable") == 0
    await administer(postgres_url, f"ALTER ROLE {role} RESET default_transaction_read_only")
    await probe(5)
    assert metrics.registry.get_sample_value("sqlassay_postgresql_writable") == 1
    # no write has failed, and none does
    async with pool.begin() as one, pool.begin() as two:
        for each in (one, two):
            await each.execute(text("DELETE FROM tenant_rules"))
    await own.dispose()
    await pool.dispose()
    await administer(postgres_url, f"DROP ROLE {role}")


async def accepting() -> asyncio.Server:
    return await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)


async def test_calls_of_the_model_count_for_more_than_a_connection():
    server, now = await accepting(), [0.0]
    probe = ModelProbe(base_url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", timer=lambda: now[0])
    await probe(2)
    probe.note(answered=False)
    with pytest.raises(Unavailable, match="last call"):
        await probe(2)
    now[0] = 130
    await probe(2)
    server.close()
    await server.wait_closed()
    with pytest.raises(Unavailable, match="cannot be reached"):
        await probe(2)


async def test_a_probe_that_hangs_or_has_a_bug_counts_as_failed_and_delays_no_other(wait_until: WaitUntil):
    metrics = Metrics(MetricSettings(), "local")
    watch = DependencyWatch(metrics=metrics, policy=WatchPolicy(every=0.01, timeout=0.05, patience=0.1))

    async def hangs(_: float) -> None:
        await asyncio.Event().wait()

    async def fails(_: float) -> None:
        raise RuntimeError("a bug")

    async def answers(_: float) -> None:
        pass

    probes: dict[Dependency, Any] = {Dependency.KAFKA: hangs, Dependency.MODEL: fails, Dependency.REDIS: answers}
    for dependency, probe in probes.items():
        watch.add(dependency, probe, needed=dependency is Dependency.KAFKA)
    async with watch.running():

        async def known() -> bool:
            up = {
                sample.labels["dependency"]: sample.value
                for family in metrics.registry.collect()
                for sample in family.samples
                if family.name == "sqlassay_dependency_up"
            }
            return up == {"kafka": 0, "model": 0, "redis": 1}

        await wait_until(known)
        assert [each.dependency for each in watch.missing()] == [Dependency.KAFKA]
        assert watch.missing(without=[Dependency.KAFKA]) == []
