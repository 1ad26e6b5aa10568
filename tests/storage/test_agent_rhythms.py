"""When agents answered, as stored: by hour, and last."""

from datetime import timedelta
from typing import Any

from service.pipeline.agent_silences import AgentSilences
from service.storage.alarms.agent_rhythms import answers_by_hour, latest_answers
from service.storage.scores.score_store import PostgresScores
from service.storage.sums.keeping import sum_stale_hours
from tests.storage.conftest import NOW, evaluation


def answer(hours_ago: float, agent: str, number: int):
    moment = NOW - timedelta(hours=hours_ago)
    fields: dict[str, Any] = {"tenant": "bakers", "agent": agent, "occurred_at": moment.isoformat()}
    return evaluation(f"{agent}-{hours_ago}-{number}", **fields)


async def test_answers_are_counted_by_hour_and_the_latest_is_known_before_its_hour_is_over(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    await store.record(
        [answer(30.5, "crumb", n) for n in range(3)] + [answer(2.5, "crumb", 1), answer(900, "crumb", 1)]
    )
    await store.record([answer(0.25, "rye", 1), answer(-5, "rye", 1)])
    await sum_stale_hours(engine, NOW)
    hour = int(NOW.timestamp()) // 3600
    found = await answers_by_hour(engine, NOW)
    assert found["bakers", "crumb"] == {hour - 31: 3, hour - 3: 1}
    agents = [("bakers", "crumb"), ("bakers", "rye"), ("bakers", "none")]
    latest = await latest_answers(engine, agents, NOW)
    assert latest == {
        ("bakers", "crumb"): (NOW - timedelta(hours=2.5)).timestamp(),
        ("bakers", "rye"): (NOW - timedelta(hours=0.25)).timestamp(),
    }


async def test_an_agent_that_stops_becomes_silent_and_one_that_goes_on_does_not(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    rows = [answer(ago + 0.1, "crumb", n) for ago in range(8, 160) for n in range(4)]
    rows += [answer(ago + 0.1, "rye", n) for ago in range(160) for n in range(4)]
    await store.record(rows)
    await sum_stale_hours(engine, NOW)
    silences = await AgentSilences(engine)(NOW)
    assert silences["bakers", "crumb"] >= 1
    assert silences["bakers", "rye"] == 0
    assert await AgentSilences(engine)(NOW - timedelta(days=60)) == {}
