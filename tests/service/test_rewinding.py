"""`sqlassay rewind` on a real broker: what it refuses, prints and changes."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import orjson
import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from sqlalchemy import URL

from tests.servers.fixtures import Kafka
from tests.service.test_kafka import SAMPLE, Bench, sqlassay
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # runs commands as processes
BEGIN = int(time.time() - 3600) * 1000
"""When the first event was published, in milliseconds since 1970; each other one a second after the one before."""
COUNT = 12


@pytest.fixture
def bench(database: URL, kafka: Kafka) -> Bench:
    return Bench(database, kafka)


async def publish(bench: Bench) -> None:
    """Events on two partitions in turn."""
    async with AIOKafkaProducer(bootstrap_servers=bench.kafka.bootstrap) as producer:
        for number in range(COUNT):
            value = orjson.dumps({**SAMPLE, "event_id": f"{number:02}"})
            await producer.send_and_wait(
                bench.kafka.events, value, partition=number % 2, timestamp_ms=BEGIN + number * 1000
            )


def after(seconds: int) -> str:
    return datetime.fromtimestamp(BEGIN / 1000 + seconds, UTC).isoformat()


async def rewind(bench: Bench, *words: str, labels: str | None = None) -> tuple[int, list[dict], str]:
    named = {"SQLASSAY_KAFKA__GROUP": bench.kafka.group, "SQLASSAY_KAFKA__TOPIC_SPANS": bench.kafka.spans}
    named |= {"SQLASSAY_KAFKA__TOPIC_LABELS": labels or bench.kafka.labels}
    code, out, told = await sqlassay(bench, "rewind", *words, given=b"", **named)
    return code, [orjson.loads(line) for line in out.splitlines()], told


async def test_what_was_published_since_a_time_is_read_again_and_is_not_doubled(bench: Bench, wait_until: WaitUntil):
    await publish(bench)

    async def all_read() -> bool:
        return await bench.committed() == COUNT

    async with bench.serving() as worker:
        await wait_until(all_read)
        code, _, told = await rewind(bench, after(7), "--yes")
        assert (code, "has members (sqlassay at 127.0.0.1)" in told, "session timeout" in told) == (2, True, True), told
        assert (await worker.get("/readyz")).status_code == 200
    # the first record at or after the time: number 8 is the fifth of partition 0, and number 7 the fourth of 1
    planned = [(0, 6, 4, 2), (1, 6, 3, 3)]
    code, rows, told = await rewind(bench, after(7))
    assert (code, [(each["partition"], each["from"], each["to"], each["again"]) for each in rows]) == (0, planned), told
    assert "5 records would be read again; add --yes" in told
    assert await bench.committed() == COUNT
    code, done, told = await rewind(bench, after(7), "--yes")
    assert (code, done, "5 records are read again" in told) == (0, rows, True), told
    assert await bench.committed() == COUNT - 5
    async with bench.serving():
        await wait_until(all_read)
    assert await bench.rows() == [f"{number:02}" for number in range(COUNT)]
    # each stored event's result is published again, under its own id
    results = [orjson.loads(each.value) for each in await bench.read(bench.kafka.scores)]
    assert len(results) == COUNT + 5
    assert len({each["evaluation_id"] for each in results}) == COUNT


async def test_it_never_goes_forward_and_says_what_kafka_has_deleted(bench: Bench, wait_until: WaitUntil):
    await publish(bench)

    async def all_read() -> bool:
        return await bench.committed() == COUNT

    async with bench.serving():
        await wait_until(all_read)
    code, rows, told = await rewind(bench, after(COUNT + 5))
    assert (code, [each["again"] for each in rows], "no record" in told) == (1, [0, 0], True), told
    admin = AIOKafkaAdminClient(bootstrap_servers=bench.kafka.bootstrap)
    await admin.start()
    await admin.delete_records({TopicPartition(bench.kafka.events, 0): RecordsToDelete(2)})
    await admin.close()
    code, rows, told = await rewind(bench, after(-60))
    assert (code, [(each["to"], each["oldest"]) for each in rows]) == (0, [(2, True), (0, False)]), told
    assert f"{bench.kafka.events} 0" in told


async def test_wrong_topics_and_times_are_refused_by_name(bench: Bench):
    code, _, told = await rewind(bench, "yesterday")
    assert (code, "'yesterday' is not an ISO 8601 time" in told) == (2, True), told
    code, _, told = await rewind(bench, after(0), "--topic", bench.kafka.scores)
    assert (code, f"workers do not read a topic {bench.kafka.scores}" in told) == (2, True), told
    absent = f"{bench.kafka.events}-absent"
    code, _, told = await rewind(bench, after(0), "--topic", absent, labels=absent)
    assert (code, f"there is no topic {absent}" in told) == (1, True), told
