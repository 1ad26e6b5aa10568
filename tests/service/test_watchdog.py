"""What `/healthz` says on a real broker: it alarms where nothing moves, and not where Kafka is away."""

from __future__ import annotations

import time

import httpx
import pytest
from sqlalchemy import URL

from tests.servers.fixtures import Kafka, make_topics, new_kafka
from tests.servers.kafka_server import KafkaServer
from tests.service.test_kafka import SAMPLE, Bench
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # waits for brokers that are away

UNWRITABLE = "no topic may be called so"
STALLED = 1.0


@pytest.fixture
def bench(database: URL, kafka: Kafka) -> Bench:
    return Bench(database, kafka)


async def alarms(client: httpx.AsyncClient) -> bool:
    return (await client.get("/healthz")).status_code == 503


async def test_results_that_cannot_be_written_though_kafka_answers_are_told_of(bench: Bench, wait_until: WaitUntil):
    await bench.send({**SAMPLE, "event_id": "a"})
    async with bench.serving(topic_scores=UNWRITABLE, stalled=STALLED) as client:
        await wait_until(lambda: alarms(client))
        assert "stood still" in (await client.get("/healthz")).text
    assert await bench.committed() == 0


async def test_a_dead_letter_that_cannot_be_written_is_told_of_though_others_go_on(bench: Bench, wait_until: WaitUntil):
    await bench.send(b"garbage")
    sent: list[str] = []
    async with bench.serving(topic_dead=UNWRITABLE, stalled=STALLED) as client:

        async def alarms_while_others_come() -> bool:
            sent.append(str(len(sent)))
            await bench.send({**SAMPLE, "event_id": sent[-1]})
            return await alarms(client)

        await wait_until(alarms_while_others_come)
    assert len(sent) > 1
    assert await bench.committed() == 0


@pytest.mark.nightly
async def test_a_broker_that_is_away_for_longer_is_no_reason_to_restart(
    database: URL, own_kafka: KafkaServer, wait_until: WaitUntil
):
    kafka = new_kafka(own_kafka.bootstrap)
    await make_topics(kafka)
    bench, seen = Bench(database, kafka), list[bool]()
    await bench.send(b"garbage", {**SAMPLE, "event_id": "a"})
    async with bench.serving(stalled=4 * STALLED, timeout=STALLED, session_timeout=6) as client:

        async def stored() -> bool:
            return await bench.rows() == ["a"]

        await wait_until(stored)
        await bench.send(*[b"garbage"] * 50, *({**SAMPLE, "event_id": str(each)} for each in range(50)))
        own_kafka.kill()
        started = time.monotonic()

        async def long_enough() -> bool:
            seen.append(await alarms(client))
            return time.monotonic() > started + 9 * STALLED

        await wait_until(long_enough)
        assert not any(seen)
        own_kafka.start()

        async def all_stored() -> bool:
            return len(await bench.rows()) == 51

        await wait_until(all_stored)
