"""The topic of feedback: kept before and after its event, and dead-lettered where it is none."""

from __future__ import annotations

import orjson
import pytest
from aiokafka import AIOKafkaProducer
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from tests.service.test_kafka import SAMPLE, Bench, bench, headers_of
from tests.waiting import WaitUntil

__all__ = ["bench"]


@pytest.mark.slow  # takes over a second
async def test_feedback_of_the_stream_is_kept_and_found_by_its_answer(
    bench: Bench,
    wait_until: WaitUntil,
):
    early, late = {"event_id": "a", "stars": 2, "user": "u1"}, {"trace_id": "t-1", "thumb": "up"}
    async with bench.serving() as client:
        async with AIOKafkaProducer(bootstrap_servers=bench.kafka.bootstrap) as producer:
            for each in (early, early, late, {"event_id": "a"}, {**late, "thumb": "green"}):
                await producer.send_and_wait(bench.kafka.feedback, orjson.dumps(each))

        async def dead_lettered() -> bool:
            return len(await bench.read(bench.kafka.dead)) == 2

        await wait_until(dead_lettered)
        await bench.send({**SAMPLE, "event_id": "a", "attributes": {"trace_id": "t-1"}})

        async def attached() -> bool:
            engine = create_async_engine(bench.database)
            async with engine.connect() as connection:
                found = await connection.execute(text("SELECT event_id, satisfied FROM feedback ORDER BY satisfied"))
                rows = [tuple(each) for each in found]
            await engine.dispose()
            return rows == [("a", False), ("a", True)]

        await wait_until(attached)
        assert (await client.get("/readyz")).status_code == 200
    reasons = {headers_of(each)["dead-letter-reason"] for each in await bench.read(bench.kafka.dead)}
    assert reasons == {"INVALID_FIELD"}
