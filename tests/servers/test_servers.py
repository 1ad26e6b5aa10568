"""The servers themselves: they come up, keep what they hold over a crash, and answer again once thawed."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from redis.asyncio import Redis
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from tests.servers.fixtures import Kafka, RedisSpace, make_topics, new_kafka, unavailable
from tests.servers.install import Program, ServerMissing
from tests.servers.kafka_server import KafkaServer
from tests.servers.postgres_server import PostgresServer
from tests.servers.redis_server import RedisServer

pytestmark = pytest.mark.slow  # starts and kills servers


async def send(kafka: Kafka, *values: bytes) -> None:
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap, acks="all") as producer:
        for value in values:
            await producer.send_and_wait(kafka.events, value)


async def read(kafka: Kafka, count: int) -> list[bytes]:
    consumer = AIOKafkaConsumer(kafka.events, bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
    async with consumer:
        return sorted([(await consumer.getone()).value or b"" for _ in range(count)])


async def test_kafka_hands_on_what_it_was_given(kafka: Kafka):
    await send(kafka, b"one", b"two")
    assert await read(kafka, 2) == [b"one", b"two"]


async def test_killed_and_started_again_kafka_still_holds_its_topics(own_kafka: KafkaServer):
    kafka = new_kafka(own_kafka.bootstrap)
    await make_topics(kafka)
    await send(kafka, b"one")
    await asyncio.to_thread(own_kafka.kill)
    assert own_kafka.pid is None
    await asyncio.to_thread(own_kafka.start)
    assert await read(kafka, 1) == [b"one"]


@pytest.mark.parametrize(("fixture", "major"), [("postgres15", 15), ("postgres18", 18)])
async def test_postgresql_is_of_the_version_asked_for(request: pytest.FixtureRequest, fixture: str, major: int):
    url: URL = request.getfixturevalue(fixture)
    engine = create_async_engine(url)
    async with engine.connect() as connection:
        version = await connection.scalar(text("SHOW server_version_num"))
    await engine.dispose()
    assert int(version) // 10_000 == major


async def test_killed_and_started_again_postgresql_still_holds_its_rows(own_postgres: PostgresServer):
    connection = await asyncpg.connect(own_postgres.url)
    await connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
    await asyncio.to_thread(own_postgres.kill)
    await connection.close()
    await asyncio.to_thread(own_postgres.start)
    connection = await asyncpg.connect(own_postgres.url)
    assert await connection.fetchval("SELECT one FROM kept") == 1
    await connection.close()


async def test_frozen_postgresql_answers_once_it_is_thawed(own_postgres: PostgresServer):
    connection = await asyncpg.connect(own_postgres.url)
    own_postgres.freeze()
    asked = asyncio.create_task(connection.fetchval("SELECT 1"))
    done, _ = await asyncio.wait({asked}, timeout=0.3)
    assert not done
    own_postgres.thaw()
    assert await asked == 1
    await connection.close()


async def test_redis_keeps_a_value(redis: RedisSpace):
    async with Redis.from_url(redis.url) as client:
        await client.set(f"{redis.prefix}:greeting", "hello")
        assert await client.get(f"{redis.prefix}:greeting") == b"hello"


async def test_redis_comes_back_on_its_port(own_redis: RedisServer):
    own_redis.kill()
    own_redis.start()
    async with Redis.from_url(own_redis.url) as client:
        assert await client.ping()


def test_a_program_that_cannot_be_had_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ServerMissing, match=r"it installs absent-server\), or start one"):
        Program(path="absent-server", package="absent-server", otherwise="or start one").find()


@pytest.mark.parametrize(("ci", "ending"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_server_skips_a_test_and_fails_it_under_ci(
    monkeypatch: pytest.MonkeyPatch, ci: str, ending: type[BaseException]
):
    monkeypatch.setenv("CI", ci)
    with pytest.raises(ending, match="not here"):
        unavailable(ServerMissing("it is not here"))
