"""The stream on a real broker: commits, dead letters, results and rebalances."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import orjson
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from pydantic import SecretStr
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from service.pipeline.running import ProcessRole
from service.serving import create_app, running
from service.settings import Settings
from service.settings.storage_settings import DatabaseSettings
from service.settings.stream_settings import KafkaSettings
from tests.servers.fixtures import Kafka
from tests.waiting import WaitUntil

SAMPLE = {"question": "How many ovens are there?", "sql": "SELECT COUNT(*) FROM ovens"}


class Bench:
    """A database and topics of one test's own, and looks at them from outside."""

    def __init__(self, database: URL, kafka: Kafka) -> None:
        self.database, self.kafka = database, kafka

    def settings(self, **changes: Any) -> Settings:
        kafka = {
            "bootstrap_servers": self.kafka.bootstrap,
            "group": self.kafka.group,
            "topic_events": self.kafka.events,
            "topic_dead": self.kafka.dead,
            "topic_scores": self.kafka.scores,
            "topic_labels": self.kafka.labels,
            "topic_feedback": self.kafka.feedback,
            "topic_spans": self.kafka.spans,
            **changes,
        }
        url = self.database.render_as_string(hide_password=False)
        return Settings(database=DatabaseSettings(url=SecretStr(url)), kafka=KafkaSettings(**kafka))

    @asynccontextmanager
    async def serving(self, role: ProcessRole = ProcessRole.WORKER, **changes: Any) -> AsyncIterator[httpx.AsyncClient]:
        settings = self.settings(**changes)
        async with running(settings, role) as service:
            transport = httpx.ASGITransport(create_app(settings, service), raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
                yield client

    async def send(self, *values: object, headers: list[tuple[str, bytes]] | None = None) -> None:
        async with AIOKafkaProducer(bootstrap_servers=self.kafka.bootstrap, acks="all") as producer:
            for value in values:
                raw = value if isinstance(value, bytes | None) else orjson.dumps(value)
                await producer.send_and_wait(self.kafka.events, raw, key=b"k", headers=headers)

    async def rows(self) -> list[str]:
        engine = create_async_engine(self.database)
        async with engine.connect() as connection:
            found = await connection.scalars(text("SELECT event_id FROM evaluations WHERE current ORDER BY event_id"))
            ids = list(found)
        await engine.dispose()
        return ids

    async def read(self, topic: str) -> list:
        """Everything on a topic."""
        async with AIOKafkaConsumer(bootstrap_servers=self.kafka.bootstrap, auto_offset_reset="earliest") as consumer:
            parts = [TopicPartition(topic, each) for each in await self._partitions(consumer, topic)]
            consumer.assign(parts)
            ends, found = await consumer.end_offsets(parts), []
            while any([await consumer.position(each) < ends[each] for each in parts]):
                for records in (await consumer.getmany(timeout_ms=200)).values():
                    found += records
            return found

    async def committed(self) -> int:
        """Offsets committed by the group, over all partitions."""
        async with AIOKafkaConsumer(bootstrap_servers=self.kafka.bootstrap, group_id=self.kafka.group) as consumer:
            parts = [
                TopicPartition(self.kafka.events, each) for each in await self._partitions(consumer, self.kafka.events)
            ]
            return sum([await consumer.committed(each) or 0 for each in parts])

    async def _partitions(self, consumer: AIOKafkaConsumer, topic: str) -> set[int]:
        await consumer._client.force_metadata_update()
        consumer._client.add_topic(topic)
        await consumer._client.force_metadata_update()
        return consumer.partitions_for_topic(topic) or set()


@pytest.fixture
def bench(database: URL, kafka: Kafka) -> Bench:
    return Bench(database, kafka)


def headers_of(record) -> dict[str, str]:
    return {name: raw.decode("utf-8", "replace") for name, raw in record.headers}


async def test_events_are_scored_stored_told_and_only_then_committed(bench: Bench, wait_until: WaitUntil):
    await bench.send(*({**SAMPLE, "event_id": str(number)} for number in range(30)))
    async with bench.serving():

        async def committed() -> bool:
            return await bench.committed() == 30

        await wait_until(committed)
        assert len(await bench.rows()) == 30
    results = [orjson.loads(each.value) for each in await bench.read(bench.kafka.scores)]
    assert sorted(each["event_id"] for each in results) == await bench.rows()
    assert {each["score"] for each in results} == {results[0]["score"]}
    assert len({each["evaluation_id"] for each in results}) == 30


async def test_a_record_without_an_id_is_named_by_its_content_and_sent_twice_is_one_row(
    bench: Bench, wait_until: WaitUntil
):
    await bench.send(SAMPLE, SAMPLE, {"sql": SAMPLE["sql"], "question": SAMPLE["question"]})
    async with bench.serving():

        async def committed() -> bool:
            return await bench.committed() == 3

        await wait_until(committed)
    assert [len(each) for each in await bench.rows()] == [64]


POISON = [
    (b"{", "NOT_JSON"),
    (b"\xff\xfe", "INVALID_ENCODING"),
    (None, "NO_VALUE"),
    (b"[" * 5000, "NOT_JSON"),
    (b'{"question": "q"}', "MISSING_FIELD"),
    (b'{"question": "a\\u0000b", "sql": "SELECT 1"}', "INVALID_TEXT"),
    (b'{"question": "q", "sql": "' + b"x" * 1_000_000 + b'"' + b" " * 100_000 + b"}", "EVENT_TOO_LARGE"),
]


@pytest.mark.slow  # takes over a second
async def test_every_bad_record_is_a_dead_letter_with_its_reason_and_place_and_costs_the_good_nothing(
    bench: Bench, wait_until: WaitUntil
):
    async with AIOKafkaProducer(bootstrap_servers=bench.kafka.bootstrap, max_request_size=4_000_000) as producer:
        for place, (value, _) in enumerate(POISON):
            try:
                await producer.send_and_wait(bench.kafka.events, value, key=b"k", partition=0)
            except Exception:
                # a broker of the default size refuses it already
                await producer.send_and_wait(bench.kafka.events, b"[]", partition=0)
            good = orjson.dumps({**SAMPLE, "event_id": str(place)})
            await producer.send_and_wait(bench.kafka.events, good, partition=0)
    await bench.send({**SAMPLE, "event_id": "x"}, headers=[("ce_id", b"\xff"), ("ce_specversion", b"1.0")])
    await bench.send({**SAMPLE, "event_id": "y"}, headers=[("trace", b"\xff\xff")])
    total = 2 * len(POISON) + 2
    async with bench.serving():

        async def committed() -> bool:
            return await bench.committed() == total

        await wait_until(committed)
    assert await bench.rows() == [*map(str, range(len(POISON))), "y"]
    dead = [headers_of(each) for each in await bench.read(bench.kafka.dead)]
    wanted = {reason for _, reason in POISON[:-1]} | {"INVALID_ENCODING"}
    assert wanted <= {each["dead-letter-reason"] for each in dead}
    assert len(dead) == len(POISON) + 1
    assert {each["dead-letter-topic"] for each in dead} == {bench.kafka.events}
    assert all(each["dead-letter-offset"].isdigit() for each in dead)


@pytest.mark.slow  # takes over a second
async def test_records_read_again_double_nothing_and_tell_their_result_again(bench: Bench, wait_until: WaitUntil):
    await bench.send(*({**SAMPLE, "event_id": str(number)} for number in range(5)))
    for group in ("first", "again"):
        async with bench.serving(group=group) as client:

            async def done(client=client) -> bool:
                counts = re.findall(r"^sqlassay_outcomes_total{.*} (.+)$", (await client.get("/metrics")).text, re.M)
                return sum(map(float, counts)) == 5

            await wait_until(done)
    assert len(await bench.rows()) == 5
    ids = [orjson.loads(each.value)["evaluation_id"] for each in await bench.read(bench.kafka.scores)]
    assert len(ids) == 10
    assert len(set(ids)) == 5


@pytest.mark.slow  # waits for rebalances
async def test_members_that_join_and_leave_share_the_work_and_lose_none(bench: Bench, wait_until: WaitUntil):
    async def enough() -> bool:
        return await bench.committed() >= sent

    async def publish() -> None:
        async with AIOKafkaProducer(bootstrap_servers=bench.kafka.bootstrap) as producer:
            for number in range(sent):
                await producer.send(bench.kafka.events, orjson.dumps({**SAMPLE, "event_id": str(number)}))
                await asyncio.sleep(0)
            await producer.flush()

    sent = 800
    async with bench.serving():
        publishing = asyncio.create_task(publish())
        async with bench.serving():

            async def some() -> bool:
                return await bench.committed() >= 50

            await wait_until(some)
        await publishing
        async with bench.serving():
            await wait_until(enough)
    assert len(await bench.rows()) == sent
    assert await bench.committed() == sent


async def test_what_is_posted_is_published_after_validation_and_scored_by_a_worker(bench: Bench, wait_until: WaitUntil):
    async with bench.serving(ProcessRole.API) as api:
        reply = await api.post("/v1/events", json=[{**SAMPLE, "event_id": "a"}, {"event_id": "b"}, 7])
        assert reply.status_code == 202
        assert [each["status"] for each in reply.json()["results"]] == ["published", "rejected", "rejected"]
        assert (await api.get("/healthz")).status_code == 200
    async with bench.serving() as worker:

        async def stored() -> bool:
            return await bench.rows() == ["a"]

        await wait_until(stored)
        assert (await worker.post("/v1/events", json=SAMPLE)).status_code == 404
        assert (await worker.get("/readyz")).status_code == 200


@pytest.mark.slow  # takes over a second
async def test_past_the_limit_of_dead_letters_reading_stops_and_health_says_so(bench: Bench, wait_until: WaitUntil):
    await bench.send(*[b"garbage"] * 8)
    async with bench.serving(dead_in_a_row=5) as client:

        async def stopped() -> bool:
            return (await client.get("/healthz")).status_code == 503

        await wait_until(stopped)
        assert "dead letters in a row" in (await client.get("/healthz")).text
        await bench.send({**SAMPLE, "event_id": "a"})
    assert await bench.rows() == []
    async with bench.serving(dead_in_a_row=0):

        async def stored() -> bool:
            return await bench.rows() == ["a"]

        await wait_until(stored)


async def sqlassay(bench: Bench, *words: str, given: bytes = b"", **settings: str) -> tuple[int, bytes, str]:
    """The command in a process of its own."""
    own = {
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": bench.kafka.bootstrap,
        "SQLASSAY_KAFKA__TOPIC_EVENTS": bench.kafka.events,
        "SQLASSAY_KAFKA__TOPIC_DEAD": bench.kafka.dead,
    }
    others = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "service",
        *words,
        env=others | own | settings,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await child.communicate(given)
    return child.returncode or 0, out, err.decode()


@pytest.mark.slow  # runs commands as processes
async def test_a_file_is_published_but_for_lines_that_are_no_events(bench: Bench, wait_until: WaitUntil):
    lines = [orjson.dumps({**SAMPLE, "event_id": "a"}), b"{", b"", orjson.dumps({**SAMPLE, "event_id": "b"})]
    code, _, told = await sqlassay(bench, "publish", "-", given=b"\n".join(lines))
    assert (code, "line 2: NOT_JSON" in told, "2 published, 1 refused" in told) == (1, True, True)
    async with bench.serving():

        async def stored() -> bool:
            return await bench.rows() == ["a", "b"]

        await wait_until(stored)


@pytest.mark.slow  # runs commands as processes
async def test_dead_letters_are_listed_and_sent_back_once(bench: Bench, wait_until: WaitUntil):
    await bench.send(b"{", {"sql": "SELECT 1"}, {**SAMPLE, "event_id": "a"})

    async def dead(count: int) -> bool:
        return len(await bench.read(bench.kafka.dead)) == count

    async with bench.serving():
        await wait_until(lambda: dead(2))
    _, out, _ = await sqlassay(bench, "dead-letters", "list")
    listed = [orjson.loads(line) for line in out.splitlines()]
    assert sorted(each["reason"] for each in listed) == ["MISSING_FIELD", "NOT_JSON"]
    assert {each["original"]["topic"] for each in listed} == {bench.kafka.events}
    code, _, told = await sqlassay(bench, "dead-letters", "replay", "--reason", "NOT_JSON")
    assert (code, "1 sent back" in told) == (0, True)
    async with bench.serving() as client:
        await wait_until(lambda: dead(4))
        assert 'sqlassay_consumed_total{trigger="replay"} 1.0' in (await client.get("/metrics")).text
    code, _, told = await sqlassay(bench, "dead-letters", "replay", "--reason", "NOT_JSON")
    assert code == 1
    assert "1 not sent: it was sent back already" in told
    assert "1 not sent: it was replayed before, and is a dead letter again" in told
    code, out, _ = await sqlassay(bench, "dead-letters", "list", "--reason", "NOTHING")
    assert (code, out) == (1, b"")


@pytest.mark.slow  # takes over a second
async def test_labels_of_the_stream_are_kept_and_those_of_unknown_events_are_dead_letters(
    bench: Bench, wait_until: WaitUntil
):
    await bench.send({**SAMPLE, "event_id": "a"})
    label = {"event_id": "a", "label": "wrong", "reviewer": "ines"}
    async with bench.serving():

        async def stored() -> bool:
            return await bench.rows() == ["a"]

        await wait_until(stored)
        async with AIOKafkaProducer(bootstrap_servers=bench.kafka.bootstrap) as producer:
            for each in (label, {**label, "event_id": "b"}, {**label, "label": "green"}):
                await producer.send_and_wait(bench.kafka.labels, orjson.dumps(each))

        async def dead_lettered() -> bool:
            return len(await bench.read(bench.kafka.dead)) == 2

        await wait_until(dead_lettered)
    engine = create_async_engine(bench.database)
    async with engine.connect() as connection:
        kept = (await connection.execute(text("SELECT event_id, label, reviewer FROM labels"))).all()
    await engine.dispose()
    assert [tuple(each) for each in kept] == [("a", "wrong", "ines")]
    reasons = {headers_of(each)["dead-letter-reason"] for each in await bench.read(bench.kafka.dead)}
    assert reasons == {"UNKNOWN_EVENT", "INVALID_FIELD"}


async def test_records_that_kafka_deleted_before_they_were_read_are_named_and_reading_goes_on(
    bench: Bench, wait_until: WaitUntil, capsys: pytest.CaptureFixture[str]
):
    wanted = 3

    async def committed() -> bool:
        return await bench.committed() == wanted

    await bench.send(*({**SAMPLE, "event_id": f"a{number}"} for number in range(wanted)))
    async with bench.serving():
        await wait_until(committed)
    await bench.send(*({**SAMPLE, "event_id": f"b{number}"} for number in range(4)))
    place = TopicPartition(bench.kafka.events, (await bench.read(bench.kafka.events))[0].partition)
    admin = AIOKafkaAdminClient(bootstrap_servers=bench.kafka.bootstrap)
    await admin.start()
    try:
        await admin.delete_records({place: RecordsToDelete(wanted + 4)})
    finally:
        await admin.close()
    await bench.send({**SAMPLE, "event_id": "c"})
    capsys.readouterr()
    wanted += 5
    async with bench.serving():
        await wait_until(committed)
    said = capsys.readouterr()
    assert await bench.rows() == ["a0", "a1", "a2", "c"]
    assert f"{place.topic}/{place.partition}" in next(
        line for line in (said.out + said.err).splitlines() if "records_never_read" in line
    )
