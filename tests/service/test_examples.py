"""The examples do what they say, run as a reader runs them."""

from __future__ import annotations

import asyncio
import json
import sys

import httpx
import pytest
from aiokafka import AIOKafkaConsumer

from consumers.envelopes import read_envelope
from consumers.events import decode_event
from tests.served import ROOT, served

EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("*.py"))


async def run(example: str, *arguments: str) -> str:
    child = await asyncio.create_subprocess_exec(
        sys.executable, f"examples/{example}", *arguments, cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await child.communicate()
    assert child.returncode == 0
    return output.decode()


def test_every_example_is_run_here():
    assert EXAMPLES == ["publish_http.py", "publish_kafka.py", "publish_opentelemetry.py"]


@pytest.mark.parametrize("example", ["publish_http.py", "publish_opentelemetry.py"])
async def test_an_answer_published_by_an_example_is_scored_and_once_only(database, wait_until, example):
    async with served(database) as url, httpx.AsyncClient(base_url=url) as client:

        async def ready() -> bool:
            try:
                return (await client.get("/readyz")).status_code == 200
            except httpx.TransportError:
                return False

        await wait_until(ready)
        printed = await run(example, url)
        [row] = (await client.get("/v1/evaluations")).json()["items"]
        assert (row["tenant"], row["agent"]) == ("meridian-retail", "atlas")
        assert row["question"] == "How many open orders are there?"
        assert row["score"] is not None
        if example == "publish_http.py":
            assert json.loads(printed)["results"][0]["score"] == row["score"]
            assert json.loads(await run(example, url))["results"][0]["status"] == "duplicate"


async def test_an_answer_published_to_kafka_is_an_event_in_its_envelope(kafka):
    await run("publish_kafka.py", kafka.bootstrap, kafka.events)
    consumer = AIOKafkaConsumer(kafka.events, bootstrap_servers=kafka.bootstrap, auto_offset_reset="earliest")
    async with consumer:
        record = await asyncio.wait_for(consumer.getone(), 60)
    event = decode_event(read_envelope(record.value, record.headers).payload, require_id=True)
    assert (event.event_id, event.source, event.agent) == ("orders-7f3a", "/atlas", "atlas")
    assert record.key == b"orders-7f3a"
