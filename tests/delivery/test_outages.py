"""Each server gone for a while under load, then all in turn: nothing is lost, and the same worker goes on by itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, migrate
from tests.conftest import administer
from tests.delivery import traffic
from tests.delivery.figures import note
from tests.delivery.stage import SlowModel, Stage, count, staged
from tests.servers.fixtures import RedisSpace, async_url, available, make_topics, new_kafka
from tests.servers.kafka_server import KafkaServer
from tests.servers.postgres_server import PostgresServer, debian_postgres
from tests.servers.processes import Server
from tests.servers.redis_server import RedisServer
from tests.servers.sessions import own_server

SECONDS = count("OUTAGE_SECONDS", 5)
SEED = count("SEED", 20261121)


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """A set that nothing else depends on."""

    kafka: KafkaServer
    postgres: PostgresServer
    redis: RedisServer
    model: SlowModel


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    """One set for all outages: each is up again when its test ends."""
    with ExitStack() as stack:
        yield Servers(
            kafka=stack.enter_context(available(own_server(KafkaServer))),
            postgres=stack.enter_context(available(own_server(debian_postgres))),
            redis=stack.enter_context(available(own_server(RedisServer))),
            model=stack.enter_context(own_server(SlowModel)),
        )


@pytest.fixture
async def stage(servers: Servers, tmp_path: Path) -> AsyncIterator[Stage]:
    """A stage on servers that may go."""
    kafka = new_kafka(servers.kafka.bootstrap)
    await make_topics(kafka)
    name = kafka.group.replace("-", "_")
    await administer(async_url(servers.postgres.url), f"CREATE DATABASE {name}")
    database = async_url(servers.postgres.url).set(database=name)
    engine = create_engine(database, DatabaseSettings())
    await migrate(engine)
    await engine.dispose()
    opened = Stage(
        kafka=kafka,
        database=database,
        redis=RedisSpace(url=servers.redis.url, prefix=name),
        model=servers.model,
        folder=tmp_path,
    )
    async with staged(opened):
        yield opened


async def killed(server: Server) -> None:
    """Gone, with all that only its memory held; its clients are told at once."""
    server.kill()
    await asyncio.sleep(SECONDS)
    await asyncio.to_thread(server.start)


async def frozen(server: Server) -> None:
    """Gone without a word: what is sent to it stays unanswered."""
    server.freeze()
    await asyncio.sleep(SECONDS)
    server.thaw()


Outage = Callable[[Server], Awaitable[None]]


async def load(stage: Stage, enough: asyncio.Event, started: asyncio.Event) -> None:
    """Events for as long as the outage lasts; those that a broker does not take are sent when it does."""
    number = 0
    async with stage.producer() as producer:
        # what is under way when the broker goes is all that it leaves the worker
        await stage.publish_by(producer, traffic.events(SEED - 1, 600))
        while not enough.is_set() or number < 3:
            await stage.publish_by(producer, traffic.events(SEED + number, 100), pace=0.4)
            started.set()
            number += 1


async def survived(stage: Stage, *outages: tuple[Outage, Server]) -> None:
    """Goes through the outages under load; then everything is there, and the same worker did it."""
    worker = await stage.ready_worker()
    enough, started = asyncio.Event(), asyncio.Event()
    sending = asyncio.create_task(load(stage, enough, started))
    await started.wait()
    for outage, server in outages:
        await outage(server)
    enough.set()
    await sending
    await stage.drained()
    findings = await stage.audit()
    assert findings.clean, str(findings)
    assert worker.runs
    assert await worker.ready()
    assert await worker.healthy()
    assert await worker.total("sqlassay_consumed_total") == await worker.total("sqlassay_outcomes_total")
    assert await worker.total("sqlassay_faults_total") == 0, worker.said[-3000:]
    note(
        "outages",
        done=", then ".join(f"{type(server).__name__} {outage.__name__} for {SECONDS} s" for outage, server in outages),
        events=len(stage.published),
        found="none missing, none duplicated, a result for each; the same worker recovered by itself",
    )


async def counted(stage: Stage, metric: str, **labels: str) -> bool:
    """Whether the worker tells of it."""
    return await stage.workers[0].total(metric, **labels) > 0


@pytest.mark.parametrize("outage", [killed, frozen])
async def test_postgresql_goes_and_comes_back(stage: Stage, servers: Servers, outage: Outage):
    await survived(stage, (outage, servers.postgres))
    # a statement may wait out a freeze that is shorter than its patience
    assert outage is frozen or await counted(stage, "sqlassay_stalls_total", dependency="StoreUnavailable")


@pytest.mark.parametrize("outage", [killed, frozen])
async def test_redis_goes_and_comes_back(stage: Stage, servers: Servers, outage: Outage):
    await survived(stage, (outage, servers.redis))
    assert await counted(stage, "sqlassay_redis_failures_total")


@pytest.mark.parametrize("outage", [killed, frozen])
async def test_kafka_goes_and_comes_back(stage: Stage, servers: Servers, outage: Outage):
    await survived(stage, (outage, servers.kafka))


@pytest.mark.parametrize("outage", [killed, frozen])
async def test_the_model_goes_and_comes_back(stage: Stage, servers: Servers, outage: Outage):
    await survived(stage, (outage, servers.model))
    assert outage is frozen or await counted(stage, "sqlassay_model_calls_total", end="failed")


async def test_all_go_in_turn(stage: Stage, servers: Servers):
    await survived(
        stage,
        (killed, servers.postgres),
        (killed, servers.redis),
        (killed, servers.model),
        (killed, servers.kafka),
    )
