"""A service killed at any moment loses no acknowledged event and stores none twice."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # kills services

EVENTS = [
    {
        "event_id": str(number),
        "question": f"How many loaves did baker {number} sell in 2025?",
        "sql": f"SELECT SUM(loaves) FROM sales WHERE baker_id = {number} AND year = 2025",
    }
    for number in range(600)
]
CHILD = "from service.serving import run; from service.settings.loading import load_settings; run(load_settings())"


@asynccontextmanager
async def process(database: URL) -> AsyncIterator[tuple[subprocess.Popen[str], str]]:
    """A service in a process of its own, and its address."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")},
        "SQLASSAY_HTTP__WITHOUT_LOGIN": "on",
        "SQLASSAY_DATABASE__URL": database.render_as_string(hide_password=False),
        "SQLASSAY_HTTP__PORT": "0",
        "SQLASSAY_LIMITS__BATCH_SIZE": "20",
    }
    child = subprocess.Popen(  # noqa: ASYNC220 started once, in no time
        [sys.executable, "-c", CHILD],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    try:
        while (found := re.search(r"http://[\d.:]+", line := await asyncio.to_thread(child.stderr.readline))) is None:
            assert line, "the service ended"
        yield child, found[0]
    finally:
        child.kill()
        await asyncio.to_thread(child.communicate)


async def ready(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/readyz")).status_code == 200
    except httpx.TransportError:
        return False


async def count(database: URL, statement: str) -> int:
    engine = create_async_engine(database)
    async with engine.connect() as connection:
        found = await connection.scalar(text(statement))
    await engine.dispose()
    return int(found)


@pytest.mark.parametrize("rows_before_the_kill", [1, 150])
async def test_killed_amid_a_batch_and_sent_again_each_event_has_one_row(
    database: URL, wait_until: WaitUntil, rows_before_the_kill: int
):
    async def some_rows() -> bool:
        return await count(database, "SELECT count(*) FROM evaluations") >= rows_before_the_kill

    async with process(database) as (child, base), httpx.AsyncClient(base_url=base, timeout=60) as client:
        await wait_until(lambda: ready(client))
        sending = asyncio.create_task(client.post("/v1/events", json=EVENTS))
        await wait_until(some_rows)
        child.kill()
        with pytest.raises(httpx.TransportError):
            await sending
    before = await count(database, "SELECT count(*) FROM evaluations")
    assert rows_before_the_kill <= before < len(EVENTS)

    async with process(database) as (child, base), httpx.AsyncClient(base_url=base, timeout=60) as client:
        await wait_until(lambda: ready(client))
        reply = await client.post("/v1/events", json=EVENTS)
        ended = [each["status"] for each in reply.json()["results"]]
        child.terminate()
        assert await asyncio.to_thread(child.wait) == 0
    assert ended.count("duplicate") >= before
    assert set(ended) == {"duplicate", "scored"}
    assert await count(database, "SELECT count(*) FROM evaluations") == len(EVENTS)
    assert await count(database, "SELECT count(DISTINCT event_id) FROM evaluations") == len(EVENTS)
    assert await count(database, "SELECT count(*) FROM event_keys") == len(EVENTS)


async def test_told_to_stop_the_service_finishes_what_it_took(database: URL, wait_until: WaitUntil):
    async def some_rows() -> bool:
        return await count(database, "SELECT count(*) FROM evaluations") > 0

    async with process(database) as (child, base), httpx.AsyncClient(base_url=base, timeout=60) as client:
        await wait_until(lambda: ready(client))
        sending = asyncio.create_task(client.post("/v1/events", json=EVENTS))
        await wait_until(some_rows)
        child.terminate()
        reply = await sending
        assert await asyncio.to_thread(child.wait) == 0
    assert reply.json()["accepted"] == len(EVENTS)
    assert await count(database, "SELECT count(*) FROM evaluations") == len(EVENTS)
