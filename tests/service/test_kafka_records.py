"""Records with header names that are not UTF-8, on a real broker: they die alone, and nobody beside them."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.servers.fixtures import Kafka
from tests.service.test_kafka import Bench, headers_of

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
FOREIGN = Path(__file__).with_name("foreign_producer.py")


@pytest.fixture
def bench(database: URL, kafka: Kafka) -> Bench:
    return Bench(database, kafka)


async def publish_foreign(bench: Bench, codec: str, ids: list[str], foreign: str) -> None:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        str(FOREIGN),
        bench.kafka.bootstrap,
        bench.kafka.events,
        codec,
        ",".join(ids),
        foreign,
        env={**os.environ, "AIOKAFKA_NO_EXTENSIONS": "1"},
    )
    assert await child.wait() == 0


@pytest.mark.slow  # every codec of Kafka
async def test_a_header_name_that_is_not_utf8_is_a_dead_letter_and_costs_its_neighbours_nothing(
    bench: Bench, wait_until: Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
):
    for codec in CODECS:
        await publish_foreign(bench, codec, [f"{codec}-{place}" for place in range(7)], f"{codec}-3")
    await bench.send(*({"event_id": f"z{place}", "question": "q", "sql": "SELECT 1"} for place in range(9)))
    async with bench.serving():

        async def committed() -> bool:
            return await bench.committed() == 7 * len(CODECS) + 9

        await wait_until(committed)
    wanted = {f"{codec}-{place}" for codec in CODECS for place in range(7) if place != 3}
    assert set(await bench.rows()) == wanted | {f"z{place}" for place in range(9)}
    dead = await bench.read(bench.kafka.dead)
    assert {each.value.split(b'"')[3] for each in dead} == {f"{codec}-3".encode() for codec in CODECS}
    said = [headers_of(each) for each in dead]
    assert {each["dead-letter-reason"] for each in said} == {"INVALID_ENCODING"}
    assert {int(each["dead-letter-offset"]) % 7 for each in said} == {3}
    assert all(each["caf\\xe9"] == "\ufffd" for each in said)
