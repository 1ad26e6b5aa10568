"""`kill -9` of the service leaves its alarms as an undisturbed run would have left them."""

from __future__ import annotations

import asyncio
import random
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import URL, select, text
from sqlalchemy.ext.asyncio import create_async_engine

from evals.alarms.agent_alarm import AgentAlarm, WatchedAnswer
from evals.alarms.stored import from_json
from service.samples.fortnight import fortnight_events
from service.storage.alarms.agent_alarms import agent_alarms
from service.storage.alarms.watched_answers import question_digest
from service.storage.tables import AGENT_ALARMS, EVALUATIONS
from tests.conftest import copied
from tests.served import served

pytestmark = pytest.mark.alone

KILLS = 3
BATCH = 10
BOUND = 50.0
"""The lowest score of the tier `marginal`."""


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


async def undisturbed(engine) -> dict[str, AgentAlarm]:
    """The alarms that the stored rows give in the order of their times."""
    rows = EVALUATIONS.c
    scored = select(EVALUATIONS).where(rows.current, rows.score.is_not(None)).order_by(rows.occurred_at, rows.event)
    async with engine.connect() as connection:
        found = (await connection.execute(scored)).all()
    alarms: dict[str, AgentAlarm] = {}
    for row in found:
        answer = WatchedAnswer(
            moment=row.occurred_at.timestamp(),
            p_alone=row.p_alone,
            score=row.score,
            question=question_digest(row.question),
            draw=(row.event.int >> 75) / 2**53,
        )
        alarms.setdefault(row.agent, AgentAlarm()).take(answer, BOUND)
    return alarms


async def stored(engine) -> dict[str, AgentAlarm]:
    async with engine.connect() as connection:
        rows = (await connection.execute(select(AGENT_ALARMS.c.agent, AGENT_ALARMS.c.state))).all()
    return {row.agent: from_json(row.state) for row in rows}


async def waiting(engine) -> int:
    async with engine.connect() as connection:
        return await connection.scalar(text("SELECT count(*) FROM watched_answers"))


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
                return await waiting(engine) == 0

            await wait_until(all_are_taken_up)
        assert await stored(engine) == await undisturbed(engine)
        assert [(each.agent, each.fall) for each in await agent_alarms(engine) if each.fall] == [("ember", True)]
        await engine.dispose()
