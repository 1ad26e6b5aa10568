"""`sqlassay skip` on a real broker: what it refuses, and what it leaves behind."""

from __future__ import annotations

import asyncio

import orjson
import pytest
from aiokafka import AIOKafkaProducer
from sqlalchemy import URL

from tests.servers.fixtures import Kafka, make_topics, new_kafka
from tests.servers.kafka_segments import batches, wrong_checksum
from tests.servers.kafka_server import KafkaServer
from tests.service.test_kafka import SAMPLE, Bench, headers_of, sqlassay
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # starts a broker of its own and runs commands as processes
EACH = 4
"""Events of a batch."""


@pytest.fixture
async def kafka(own_kafka: KafkaServer) -> Kafka:
    made = new_kafka(own_kafka.bootstrap)
    await make_topics(made)
    return made


@pytest.fixture
def bench(database: URL, kafka: Kafka) -> Bench:
    return Bench(database, kafka)


async def publish_batches(bench: Bench, count: int) -> None:
    """Batches of four events each on partition 0, and one event on partition 1."""
    async with AIOKafkaProducer(bootstrap_servers=bench.kafka.bootstrap, linger_ms=300) as producer:
        for first in range(0, count * EACH, EACH):
            sent = [
                await producer.send(
                    bench.kafka.events, orjson.dumps({**SAMPLE, "event_id": f"{offset:02}"}), partition=0
                )
                for offset in range(first, first + EACH)
            ]
            await asyncio.gather(*sent)
        await producer.send_and_wait(bench.kafka.events, orjson.dumps({**SAMPLE, "event_id": "other"}), partition=1)


async def skip(bench: Bench, *words: str, partition: int = 0) -> tuple[int, str, str]:
    place = ("--topic", bench.kafka.events, "--partition", str(partition))
    code, out, told = await sqlassay(bench, "skip", *place, *words, SQLASSAY_KAFKA__GROUP=bench.kafka.group)
    return code, out.decode(), told


def ids(*offsets: int) -> list[str]:
    return [f"{offset:02}" for offset in offsets]


async def test_only_what_cannot_be_read_is_skipped_and_only_when_that_is_confirmed(
    bench: Bench, own_kafka: KafkaServer, wait_until: WaitUntil
):
    await publish_batches(bench, 4)
    for batch in list(batches(own_kafka.home / "data", bench.kafka.events, 0))[1:3]:
        batch.become(wrong_checksum(batch.raw))
    async with bench.serving() as worker:

        async def stuck() -> bool:
            return (
                await bench.rows() == [*ids(*range(EACH)), "other"] and "degraded" in (await worker.get("/readyz")).text
            )

        await wait_until(stuck)
        code, _, told = await skip(bench, "--offsets", "4-7", "--yes")
        assert (code, "has members" in told) == (2, True), told
    code, out, told = await skip(bench)
    assert (code, "nothing was skipped" in told) == (1, True)
    assert [orjson.loads(line) for line in out.splitlines()] == [
        {"offset": first, "last": first + 3, "error": each["error"]}
        for first, each in zip((4, 8), map(orjson.loads, out.splitlines()), strict=True)
    ]
    assert "Invalid CRC" in out
    for words, why in {
        ("--offsets", "5-7", "--yes"): "stuck at offset 4, not at 5",
        ("--offsets", "4-6", "--yes"): "end the range with 7",
        ("--offsets", "4-12", "--yes"): "end the range with 11",
        ("--offsets", "7", "--yes"): "--offsets 7 is no range",
        ("--offsets", "7-4", "--yes"): "holds -2 offsets",
    }.items():
        code, _, told = await skip(bench, *words)
        assert (code, why in told) == (2, True), told
    code, _, told = await skip(bench, partition=1)
    assert (code, "is not stuck" in told) == (1, True)
    code, _, told = await skip(bench, partition=9)
    assert (code, "has no partition 9" in told) == (2, True)
    code, _, told = await skip(bench, "--offsets", "4-7")
    assert (code, "nothing was skipped" in told) == (1, True)
    assert await bench.read(bench.kafka.dead) == []
    assert await bench.committed() == EACH + 1

    code, _, told = await skip(bench, "--offsets", "4-7", "--yes")
    assert (code, "4 offsets skipped" in told) == (0, True), told
    code, _, told = await skip(bench, "--offsets", "8-11", "--yes")
    assert code == 0, told
    dead = [headers_of(each) for each in await bench.read(bench.kafka.dead)]
    assert [int(each["dead-letter-offset"]) for each in dead] == list(range(4, 12))
    assert {each["dead-letter-reason"] for each in dead} == {"UNREADABLE_BATCH"}
    async with bench.serving() as worker:

        async def done() -> bool:
            return await bench.committed() == 4 * EACH + 1

        await wait_until(done)
        assert (await worker.get("/readyz")).json() == {"status": "ok"}
    assert await bench.rows() == [*ids(*range(4), *range(12, 16)), "other"]
    code, _, told = await sqlassay(bench, "dead-letters", "replay")
    assert (code, told.count("not sent: it has no value")) == (1, 1), told
