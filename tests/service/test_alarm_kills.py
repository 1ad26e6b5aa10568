"""`kill -9` of the service leaves its alarms as an undisturbed run would have left them."""

from __future__ import annotations

import asyncio
import random
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import URL
from sqlalchemy.ext.asyncio import create_async_engine

from service.samples.fortnight import fortnight_events
from service.storage.alarms.agent_alarms import agent_alarms
from tests.conftest import copied
from tests.served import served
from tests.undisturbed_alarms import answers_waiting, stored_alarms, undisturbed_alarms

KILLS = 3
BATCH = 10


def alarmed(database: URL, *, kill: bool = False) -> AbstractAsyncContextManager[str]:
    """A service that takes up answers at once."""
    return served(database, kill=kill, SQLASSAY_ALARMS__EVERY="0.1", SQLASSAY_ALARMS__SETTLE="1")


async def post(address: str, batches: list[list[dict]]) -> None:
    """Posts the batches in order; takes each from the list once it is stored."""
    async with httpx.AsyncClient(base_url=address, timeout=60) as client:
        while batches:
            reply = await client.post("/v1/events", json=batches[0])
            assert reply.status_code == 202, reply.text
            del batches[0]


@pytest.mark.slow  # starts a service for each kill
async def test_kills_leave_the_state_of_an_undisturbed_run(postgres_url, template, wait_until):
    dice, events = random.Random(5), list(fortnight_events(datetime.now(UTC) - timedelta(days=1)))
    batches = [events[start : start + BATCH] for start in range(0, len(events), BATCH)]
    each_time = len(batches) // (KILLS + 1)
    async with copied(postgres_url, template) as database:
        engine = create_async_engine(database)
        for _ in range(KILLS):
            async with alarmed(database, kill=True) as address:
                left = len(batches) - each_time
                posting = asyncio.create_task(post(address, batches))
                while len(batches) > left:
                    await asyncio.wait([posting], timeout=0.01)
                    assert not posting.done()
                await asyncio.sleep(dice.uniform(0, 0.3))
                posting.cancel()
        async with alarmed(database) as address:
            await post(address, batches)

            async def all_are_taken_up() -> bool:
                return await answers_waiting(engine) == 0

            await wait_until(all_are_taken_up)
        assert await stored_alarms(engine) == await undisturbed_alarms(engine)
        assert [(each.agent, each.fall) for each in await agent_alarms(engine) if each.fall] == [("ember", True)]
        await engine.dispose()
