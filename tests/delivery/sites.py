"""Where a cell of the fault matrix is played: real servers that may go, each also reached by a proxy."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sqlalchemy import URL

from service.settings.storage_settings import DatabaseSettings
from service.storage.database import create_engine, migrate
from tests.conftest import administer
from tests.delivery.stage import SlowModel, Stage, staged
from tests.delivery.workers import Worker
from tests.servers.fixtures import RedisSpace, async_url, available, make_topics, new_kafka
from tests.servers.kafka_server import KafkaServer
from tests.servers.postgres_server import PostgresServer, debian_postgres
from tests.servers.processes import Server
from tests.servers.proxy import SOUND, Proxy
from tests.servers.redis_server import RedisServer
from tests.servers.sessions import own_server


class Part(StrEnum):
    """What may fail."""

    KAFKA = "kafka"
    POSTGRES = "postgres"
    REDIS = "redis"
    MODEL = "model"
    WORKERS = "workers"


SERVED = (Part.KAFKA, Part.POSTGRES, Part.REDIS, Part.MODEL)
"""The parts that are servers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Servers:
    """A set that nothing else depends on."""

    kafka: KafkaServer
    postgres: PostgresServer
    redis: RedisServer
    model: SlowModel
    proxies: Mapping[Part, Proxy]

    def of(self, part: Part) -> Server:
        """The server of a part."""
        return {Part.KAFKA: self.kafka, Part.POSTGRES: self.postgres, Part.REDIS: self.redis}.get(part, self.model)

    def mend(self) -> None:
        """The network is sound again, and every server runs."""
        for part, proxy in self.proxies.items():
            proxy.become(SOUND)
            server = self.of(part)
            server.thaw()
            if server.pid is None:
                server.start()


@contextmanager
def running_servers() -> Generator[Servers]:
    """One set for all cells: each is up again when its cell ends."""
    with ExitStack() as stack:
        kafka = stack.enter_context(available(own_server(KafkaServer)))
        postgres = stack.enter_context(available(own_server(debian_postgres)))
        redis = stack.enter_context(available(own_server(RedisServer)))
        model = stack.enter_context(own_server(SlowModel))
        proxies = {
            Part.KAFKA: Proxy(kafka.behind, kafka.proxy),
            Part.POSTGRES: Proxy(postgres.port),
            Part.REDIS: Proxy(redis.port),
            Part.MODEL: Proxy(model.port),
        }
        for proxy in proxies.values():
            proxy.start()
            stack.callback(proxy.stop)
        yield Servers(kafka=kafka, postgres=postgres, redis=redis, model=model, proxies=proxies)


@dataclass(slots=True, kw_only=True)
class Site:
    """What a fault works on."""

    servers: Servers
    stage: Stage
    seconds: float
    """How long a fault lasts that could last for any time."""

    async def worker(self) -> Worker:
        """Starts a worker like the others, and waits until it takes records."""
        return await self.stage.ready_worker()

    @property
    def members(self) -> list[Worker]:
        """Workers that run."""
        return [each for each in self.stage.workers if each.runs]

    async def hold(self) -> None:
        """Waits while the fault lasts."""
        await asyncio.sleep(self.seconds)


def by_proxy(servers: Servers, database: str) -> dict[str, str]:
    """Settings of a worker that reaches every server by its proxy."""
    ports = {part: proxy.port for part, proxy in servers.proxies.items()}
    url = async_url(servers.postgres.url).set(port=ports[Part.POSTGRES], database=database)
    return {
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": f"127.0.0.1:{ports[Part.KAFKA]}",
        "SQLASSAY_DATABASE__URL": url.render_as_string(hide_password=False),
        "SQLASSAY_REDIS__URL": f"redis://127.0.0.1:{ports[Part.REDIS]}/0",
        "SQLASSAY_JUDGE__BASE_URL": f"http://127.0.0.1:{ports[Part.MODEL]}/v1",
    }


@asynccontextmanager
async def opened_stage(servers: Servers, folder: Path) -> AsyncGenerator[Stage]:
    """Topics, tables and keys that no other cell uses."""
    kafka = new_kafka(servers.kafka.bootstrap)
    await make_topics(kafka)
    name = kafka.group.replace("-", "_")
    database = await new_database(servers.postgres, name)
    redis = RedisSpace(url=servers.redis.url, prefix=name)
    stage = Stage(kafka=kafka, database=database, redis=redis, model=servers.model, folder=folder)
    async with staged(stage):
        yield stage


async def new_database(server: PostgresServer, name: str) -> URL:
    """A migrated database."""
    await administer(async_url(server.url), f"CREATE DATABASE {name}")
    database = async_url(server.url).set(database=name)
    engine = create_engine(database, DatabaseSettings())
    await migrate(engine)
    await engine.dispose()
    return database
