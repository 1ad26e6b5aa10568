"""The servers as fixtures. A test that needs one that cannot be had is skipped by name; under CI it fails.

Shared: `kafka`, `redis`, `postgres15`, `postgres18`. A test's own, to kill and freeze: `own_kafka`, `own_redis`,
`own_postgres`.
"""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NoReturn, TypeVar

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from redis.asyncio import Redis
from sqlalchemy import URL, make_url
from sqlalchemy import text as sql
from sqlalchemy.ext.asyncio import create_async_engine

from tests.servers import named
from tests.servers.install import Program, ServerMissing
from tests.servers.kafka_server import KafkaServer
from tests.servers.postgres_server import PostgresServer, debian_postgres, wheel_postgres
from tests.servers.redis_server import RedisServer
from tests.servers.sessions import own_server, shared_server

Opened = TypeVar("Opened")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kafka:
    """A broker, and topics and a group that no other test uses."""

    bootstrap: str
    events: str
    """Of four partitions."""
    dead: str
    scores: str
    labels: str
    feedback: str
    spans: str
    group: str

    @property
    def topics(self) -> tuple[str, ...]:
        """Every topic."""
        return (self.events, self.dead, self.scores, self.labels, self.feedback, self.spans)


@dataclass(frozen=True, slots=True, kw_only=True)
class RedisSpace:
    """A Redis, and a prefix of keys that no other test uses."""

    url: str
    prefix: str


def new_kafka(bootstrap: str) -> Kafka:
    """Names of this test's own; the topics are not made yet."""
    own = uuid.uuid4().hex[:10]
    return Kafka(
        bootstrap=bootstrap,
        events=f"query-events-{own}",
        dead=f"query-events.dead-{own}",
        scores=f"query-scores-{own}",
        labels=f"query-labels-{own}",
        feedback=f"query-feedback-{own}",
        spans=f"query-spans-{own}",
        group=f"sqlassay-{own}",
    )


async def make_topics(kafka: Kafka, *, partitions: int = 4, only: Sequence[str] | None = None) -> None:
    """Makes them, or `only` some, `partitions` each; one for dead letters."""
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    try:
        counts = {topic: 1 if topic == kafka.dead else partitions for topic in only or kafka.topics}
        await admin.create_topics([NewTopic(topic, count, 1) for topic, count in counts.items()])
    finally:
        await admin.close()


def unavailable(error: ServerMissing) -> NoReturn:
    """Skips the test; under CI it fails, since there nobody would read of the skip."""
    if os.environ.get("CI", "").lower() in {"true", "1"}:
        pytest.fail(str(error))
    pytest.skip(str(error))


def found(program: Program) -> Path:
    """Where a program is; without it the test is skipped, under CI it fails."""
    try:
        return program.find()
    except ServerMissing as error:
        unavailable(error)


@contextmanager
def available(server: AbstractContextManager[Opened]) -> Iterator[Opened]:
    """What `server` opens, where it can be had."""
    with ExitStack() as stack:
        try:
            opened = stack.enter_context(server)
        except ServerMissing as error:
            unavailable(error)
        yield opened


@pytest.fixture(scope="session")
def kafka_server() -> Iterator[str]:
    """The bootstrap servers of a broker shared by all tests."""
    if found := os.environ.get(named.KAFKA):
        yield found
        return
    with available(
        shared_server("kafka", partial(KafkaServer, lasting=True), lambda server: server.bootstrap)
    ) as bootstrap:
        yield bootstrap


@pytest.fixture
async def kafka(kafka_server: str) -> AsyncIterator[Kafka]:
    """The shared broker with topics of this test's own."""
    kafka = new_kafka(kafka_server)
    await make_topics(kafka)
    yield kafka
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    await admin.delete_topics(list(kafka.topics))
    await admin.close()


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A Redis shared by all tests: use the fixture `redis` for keys of one's own."""
    if found := os.environ.get(named.REDIS_URL):
        yield found
        return
    with available(shared_server("redis", RedisServer, lambda server: server.url)) as url:
        yield url


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[RedisSpace]:
    """The shared Redis with a prefix of this test's own, emptied afterwards."""
    space = RedisSpace(url=redis_url, prefix=f"test-{uuid.uuid4().hex[:10]}")
    yield space
    async with Redis.from_url(redis_url) as client:
        async for key in client.scan_iter(match=f"{space.prefix}*"):
            await client.delete(key)


@pytest.fixture(scope="session")
def postgres15() -> Iterator[URL]:
    """The maintenance database of a PostgreSQL 15."""
    with _postgres(15, debian_postgres) as url:
        yield url


@pytest.fixture(scope="session")
def postgres18() -> Iterator[URL]:
    """The maintenance database of a PostgreSQL 18."""
    with _postgres(18, wheel_postgres) as url:
        yield url


@contextmanager
def _postgres(major: int, make: Callable[[Path], PostgresServer]) -> Iterator[URL]:
    found = os.environ.get(named.DATABASE_URL)
    if found and _major(async_url(found)) == major:
        yield async_url(found)
        return
    with available(shared_server(f"postgres{major}", make, lambda server: server.url)) as url:
        yield async_url(url)


def _major(url: URL) -> int:
    async def asked() -> int:
        engine = create_async_engine(url)
        async with engine.connect() as connection:
            version = await connection.scalar(sql("SHOW server_version_num"))
        await engine.dispose()
        return int(version) // 10_000

    # a test that names the fixture while it runs has a loop already
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(lambda: asyncio.run(asked())).result()


def async_url(url: str) -> URL:
    """The URL as our driver takes it."""
    return make_url(url).set(drivername="postgresql+asyncpg")


@pytest.fixture
def own_kafka() -> Iterator[KafkaServer]:
    """A broker that this test may kill, freeze and start again."""
    with available(own_server(KafkaServer)) as server:
        yield server


@pytest.fixture
def own_redis() -> Iterator[RedisServer]:
    """A Redis that this test may kill, freeze and start again."""
    with available(own_server(RedisServer)) as server:
        yield server


@pytest.fixture
def own_postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL that this test may kill, freeze and start again."""
    with available(own_server(debian_postgres)) as server:
        yield server
