"""Spans on a real broker: joined by a worker, committed when nobody needs them, read again by the next one."""

from __future__ import annotations

import asyncio
import re
import uuid
from typing import Any

import httpx
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from sqlalchemy import URL

from consumers.spans import Span
from service.otlp import write_protobuf
from tests.served import served
from tests.servers.fixtures import Kafka
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # kills workers and waits for rebalances

ASKED = {"sqlassay.question": "How many ferries sail today?", "gen_ai.agent.name": "atlas"}
ANSWERED = {"db.query.text": "SELECT COUNT(*) FROM sailings WHERE day = 'today'", "db.system.name": "postgresql"}


def trace(*attributes: dict[str, str]) -> list[Span]:
    trace_id, ids = uuid.uuid4().hex, [uuid.uuid4().hex[:16] for _ in attributes]
    parents = [None, *ids]
    return [
        Span(trace_id=trace_id, span_id=own, parent_id=parent, attributes=said)
        for own, parent, said in zip(ids, parents, attributes, strict=False)
    ]


def environment(kafka: Kafka, window: float) -> dict[str, Any]:
    return {
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
        "SQLASSAY_KAFKA__GROUP": kafka.group,
        "SQLASSAY_KAFKA__TOPIC_EVENTS": kafka.events,
        "SQLASSAY_KAFKA__TOPIC_DEAD": kafka.dead,
        "SQLASSAY_KAFKA__TOPIC_SCORES": kafka.scores,
        "SQLASSAY_KAFKA__TOPIC_LABELS": kafka.labels,
        "SQLASSAY_KAFKA__TOPIC_FEEDBACK": kafka.feedback,
        "SQLASSAY_KAFKA__TOPIC_SPANS": kafka.spans,
        "SQLASSAY_KAFKA__SESSION_TIMEOUT": "6",
        "SQLASSAY_KAFKA__DRAIN": "0.5",
        "SQLASSAY_SPANS__WINDOW": str(window),
    }


async def rows(url: str) -> list[dict[str, Any]]:
    async with httpx.AsyncClient(base_url=url) as client:
        try:
            return (await client.get("/v1/evaluations")).json().get("items", [])
        except (httpx.TransportError, ValueError):
            return []


async def send(url: str, spans: list[Span], wait_until: WaitUntil) -> None:
    """Sends as an exporter does: again while it is told to."""
    headers = {"Content-Type": "application/x-protobuf"}

    async def taken() -> bool:
        async with httpx.AsyncClient(base_url=url) as client:
            try:
                reply = await client.post("/v1/traces", content=write_protobuf(spans), headers=headers)
            except httpx.TransportError:
                return False
        assert reply.status_code in {200, 503}
        return reply.status_code == 200

    await wait_until(taken)


async def uncommitted(kafka) -> int:
    """Spans' records that the worker's group would read again."""
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka.bootstrap, group_id=f"{kafka.group}-spans")
    async with consumer:
        partitions = [TopicPartition(kafka.spans, number) for number in range(4)]
        ends = await consumer.end_offsets(partitions)
        return sum([ends[each] - (await consumer.committed(each) or 0) for each in partitions])


async def test_spans_of_two_requests_are_one_scored_answer_and_committed_when_their_trace_closes(
    kafka, database: URL, wait_until: WaitUntil
):
    async with served(database, **environment(kafka, 2)) as url:
        asked, answered = trace(ASKED, ANSWERED)
        await send(url, [answered], wait_until)
        await send(url, [asked], wait_until)

        async def scored() -> bool:
            return [row["question"] for row in await rows(url)] == [ASKED["sqlassay.question"]]

        async def all_committed() -> bool:
            return await uncommitted(kafka) == 0

        await wait_until(scored)
        await wait_until(all_committed)
        assert [row["score"] is not None for row in await rows(url)] == [True]


async def test_a_worker_killed_while_it_holds_a_trace_leaves_it_to_the_next(kafka, database: URL, wait_until):
    asked, answered = trace(ASKED, ANSWERED)
    async with served(database, kill=True, **environment(kafka, 600)) as url:
        await send(url, [answered], wait_until)

        async def held() -> bool:
            async with httpx.AsyncClient(base_url=url) as client:
                return "sqlassay_spans_waiting 1.0" in (await client.get("/metrics")).text

        await wait_until(held)
        assert await uncommitted(kafka) == 1
    async with served(database, **environment(kafka, 600)) as url:
        await send(url, [asked], wait_until)

        async def scored() -> bool:
            return [row["question"] for row in await rows(url)] == [ASKED["sqlassay.question"]]

        await wait_until(scored)


async def test_a_stopping_worker_leaves_an_open_trace_to_the_next_and_stores_nothing_of_it(
    kafka, database: URL, wait_until: WaitUntil
):
    asked, answered = trace(ASKED, ANSWERED)
    async with served(database, **environment(kafka, 600)) as url:
        await send(url, [answered], wait_until)
    async with served(database, **environment(kafka, 600)) as url:
        await send(url, [asked], wait_until)

        async def scored() -> bool:
            return [row["unscored"] for row in await rows(url)] == [None]

        await wait_until(scored)


async def test_traces_held_when_another_worker_joins_are_read_again_by_whoever_gets_them(
    kafka, database: URL, wait_until: WaitUntil
):
    traces = [trace(ASKED, ANSWERED) for _ in range(12)]

    async def held(*urls: str) -> int:
        found = 0.0
        async with httpx.AsyncClient() as client:
            for url in urls:
                text = (await client.get(f"{url}/metrics")).text
                found += float(re.search(r"^sqlassay_spans_waiting (\S+)", text, re.MULTILINE)[1])
        return int(found)

    async with served(database, **environment(kafka, 600)) as first:
        await send(first, [answered for _, answered in traces], wait_until)

        async def all_held() -> bool:
            return await held(first) == len(traces)

        await wait_until(all_held)
        async with served(database, **environment(kafka, 600)) as second:

            async def shared() -> bool:
                return await held(second) > 0 and await held(first, second) == len(traces)

            await wait_until(shared)
            await send(second, [asked for asked, _ in traces], wait_until)

            async def scored() -> bool:
                return [row["unscored"] for row in await rows(first)] == [None] * len(traces)

            await wait_until(scored)


async def test_a_record_without_trace_data_is_a_dead_letter_and_the_others_are_read(kafka, database: URL, wait_until):
    async with AIOKafkaProducer(bootstrap_servers=kafka.bootstrap) as producer:
        for value in (b"\xff\xff", b"SELECT 1", None):
            await producer.send_and_wait(kafka.spans, value, key=b"1")
        await producer.send_and_wait(kafka.spans, write_protobuf(trace(ASKED | {"gen_ai.agent.name": "\0"} | ANSWERED)))
        await producer.send_and_wait(kafka.spans, write_protobuf(trace(ASKED | ANSWERED)))
    async with served(database, **environment(kafka, 600)) as url:

        async def scored() -> bool:
            return len(await rows(url)) == 1

        await wait_until(scored)
        consumer = AIOKafkaConsumer(kafka.dead, bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
        async with consumer:
            letters = [dict((await asyncio.wait_for(consumer.getone(), 60)).headers) for _ in range(4)]
    reasons = sorted(each["dead-letter-reason"].decode() for each in letters)
    assert reasons == ["INVALID_TEXT", "NOT_OTLP", "NOT_OTLP", "NO_VALUE"]
    # an event that spans gave goes back, when it is replayed, to where plain events go
    topics = {each["dead-letter-reason"].decode(): each["dead-letter-topic"].decode() for each in letters}
    assert topics == {"INVALID_TEXT": kafka.events, "NOT_OTLP": kafka.spans, "NO_VALUE": kafka.spans}
