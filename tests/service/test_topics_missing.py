"""A broker that creates no topics: the error names the missing topic and does not call Kafka unavailable."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import URL

from consumers.stream.ports import Message
from service.kafka.client import KafkaUnavailable, open_publisher
from service.kafka.dead_letter_topic import dead_letters
from service.settings.stream_settings import KafkaSettings
from tests.servers.fixtures import Kafka, make_topics, new_kafka
from tests.servers.kafka_server import KafkaServer
from tests.service.test_kafka import Bench

pytestmark = pytest.mark.slow  # starts brokers of its own


@pytest.fixture
async def strict(own_kafka: KafkaServer) -> Kafka:
    """Names of topics, none of which is there."""
    own_kafka.kill()
    with (own_kafka.home / "server.properties").open("a") as properties:
        properties.write("auto.create.topics.enable=false\n")
    own_kafka.start()
    return new_kafka(own_kafka.bootstrap)


async def test_a_topic_that_is_missing_is_named(strict: Kafka, database: URL):
    settings = KafkaSettings(bootstrap_servers=strict.bootstrap, topic_dead=strict.dead, timeout=2.0)
    async with open_publisher(settings) as publisher:
        with pytest.raises(KafkaUnavailable, match=f"no topic {strict.scores}:"):
            await publisher.publish([Message(topic=strict.scores, key=None, value=b"{}")])
    assert [each async for each in dead_letters(settings)] == []
    serving = Bench(database, strict).serving(timeout=2.0)
    with pytest.raises(KafkaUnavailable, match=f"no topic .*{strict.events}"):
        await serving.__aenter__()
    await make_topics(strict)
    async with open_publisher(settings) as publisher:
        assert await publisher.publish([Message(topic=strict.scores, key=None, value=b"{}")]) == []


async def test_a_broker_that_is_away_is_still_said_to_be_away(own_kafka: KafkaServer):
    kafka = new_kafka(own_kafka.bootstrap)
    await make_topics(kafka)
    settings = KafkaSettings(bootstrap_servers=kafka.bootstrap, timeout=2.0)
    async with open_publisher(settings) as publisher:
        message = Message(topic=kafka.scores, key=None, value=b"{}")
        assert await publisher.publish([message]) == []
        own_kafka.kill()
        async with asyncio.timeout(30):
            with pytest.raises(KafkaUnavailable, match="cannot be reached"):
                await publisher.publish([message])
