"""Workers that join, leave and are killed leave the agents' alarms as an undisturbed run would have left them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from service.samples.fortnight import fortnight_events
from service.storage.alarms.agent_alarms import agent_alarms
from tests.delivery.stage import Stage, until
from tests.delivery.traffic import Key, Message
from tests.undisturbed_alarms import answers_waiting, stored_alarms, undisturbed_alarms

SETTLE = 25
"""Seconds that answers wait for earlier ones: more than a worker that was killed keeps its partitions."""


def message(event: dict) -> Message:
    return Message(value=orjson.dumps(event), key=Key(event["tenant"], event.get("source", ""), event["event_id"]))


@pytest.mark.slow
@pytest.mark.nightly
async def test_rebalances_leave_the_state_of_an_undisturbed_run(stage: Stage):
    stage.settings |= {"SQLASSAY_ALARMS__EVERY": "0.2", "SQLASSAY_ALARMS__SETTLE": str(SETTLE)}
    messages = [message(each) for each in fortnight_events(datetime.now(UTC) - timedelta(days=1))]
    quarter = -(-len(messages) // 4)
    parts = [messages[start : start + quarter] for start in range(0, len(messages), quarter)]

    first = await stage.ready_worker()
    await stage.publish(parts[0])
    second = await stage.ready_worker()
    await stage.publish(parts[1])
    await asyncio.to_thread(first.leave)
    third = await stage.ready_worker()
    await stage.publish(parts[2])
    second.kill()
    await stage.publish(parts[3])
    await stage.drained()

    engine = create_async_engine(stage.database)
    try:

        async def all_are_taken_up() -> bool:
            return await answers_waiting(engine) == 0

        await until(all_are_taken_up, "all answers to be taken up")
        assert await third.total("sqlassay_kafka_rebalances_total") >= 2
        assert await stored_alarms(engine) == await undisturbed_alarms(engine)
        assert [each.agent for each in await agent_alarms(engine) if each.fall] == ["ember"]
    finally:
        await engine.dispose()
