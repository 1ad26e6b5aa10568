"""Topics on a real broker that accept only small messages: no result is dropped, and the log says what to raise."""

from __future__ import annotations

import re
from uuid import UUID

import orjson
import pytest
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from sqlalchemy import URL

from consumers.errors import Unavailable
from consumers.stream.oversized import publish_each
from consumers.stream.ports import Message
from service.kafka.client import open_publisher
from service.settings.stream_settings import KafkaSettings
from tests.servers.fixtures import Kafka
from tests.service.test_kafka import SAMPLE, Bench
from tests.waiting import WaitUntil


async def limit(kafka: Kafka, topic: str, most: int) -> None:
    """Sets the bytes of the largest batch that a topic accepts."""
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    change = ConfigResource(ConfigResourceType.TOPIC, topic, configs={"max.message.bytes": str(most)})
    await admin.alter_configs([change])
    await admin.close()


@pytest.mark.slow  # waits for retries
async def test_results_that_the_broker_refuses_for_their_size_are_logged_counted_and_published_later(
    database: URL, kafka: Kafka, wait_until: WaitUntil, capsys: pytest.CaptureFixture[str]
):
    bench = Bench(database, kafka)
    await limit(kafka, kafka.scores, 512)
    await bench.send(*({**SAMPLE, "event_id": str(number)} for number in range(5)))
    async with bench.serving() as worker:

        async def refused() -> bool:
            shown = (await worker.get("/metrics")).text
            counted = re.findall(r'stalls_total{dependency="ResultsTooLarge"} (.+)', shown)
            return bool(counted) and float(counted[0]) >= 2

        await wait_until(refused)
        assert (len(await bench.rows()), await bench.committed(), await bench.read(kafka.scores)) == (5, 0, [])
        await limit(kafka, kafka.scores, 1_048_588)

        async def committed() -> bool:
            return await bench.committed() == 5

        await wait_until(committed)
    results = [orjson.loads(each.value) for each in await bench.read(kafka.scores)]
    assert sorted(each["event_id"] for each in results) == await bench.rows()
    assert len({UUID(each["evaluation_id"]) for each in results}) == 5
    assert f"--entity-name {kafka.scores} --add-config max.message.bytes=1048588" in capsys.readouterr().out


async def test_small_messages_are_not_refused_because_they_share_a_batch(kafka: Kafka, wait_until: WaitUntil):
    settings = KafkaSettings(bootstrap_servers=kafka.bootstrap)
    await limit(kafka, kafka.scores, 1000)
    small = [Message(topic=kafka.scores, key=b"k", value=b"%d" % number * 400) for number in range(6)]
    large = Message(topic=kafka.scores, key=b"k", value=b"x" * 1000)
    async with open_publisher(settings) as publisher:

        async def limited() -> bool:
            return await publisher.publish([large]) == [0]

        await wait_until(limited)
        assert await publisher.publish([*small, large]) == [6]
        with pytest.raises(Unavailable, match=r"refuses 1 message on .* for its size"):
            await publish_each(publisher, [large])
