"""Which answers are worth more of a model's calls: those of agents that may have become worse, and of new versions."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

import pytest
from sqlalchemy import update

from consumers.evaluation.event_evaluation import Evaluation, evaluate, line_out
from consumers.wire.events import QueryEvent, decode_event
from scoring.evaluation import conclude, examine
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.storage.alarms.suspected_agents import EVERY, NEW_VERSION, SuspectedAgents
from service.storage.scores.score_store import PostgresScores
from service.storage.tables import AGENT_ALARMS
from tests.storage.conftest import NOW
from tests.storage.test_agent_alarms import answer, stream, taking_up


def event(agent: str, version: str | None = None, number: int = 0) -> QueryEvent:
    named = {"tenant": "bakers", "agent": agent, "question": "How many loaves?", "sql": "SELECT COUNT(*) FROM loaves"}
    return decode_event({"event_id": str(number), "agent_version": version, **named}, require_id=True)


def scored(numbers: Iterable[int], version: str) -> list[Evaluation]:
    case = examine(event("crumb").query(), Rules())
    assert isinstance(case, Case)
    line = line_out("0", conclude(case, local_judge().judge(case)), Rules())
    return [evaluate(event("crumb", version, number), line, Rules(), NOW) for number in numbers]


async def test_an_agent_is_suspected_from_half_the_evidence_of_an_alarm(engine):
    steady = [answer(place, 0.9, agent="oat") for place in range(1000, 1040)]
    await PostgresScores(engine, watched=True, clock=lambda: NOW).record([*stream(200), *steady])
    await taking_up(engine)(NOW + timedelta(seconds=1200))
    suspected = SuspectedAgents()
    assert not suspected(event("crumb"))
    await suspected.look(engine, NOW)
    assert [suspected(event(agent)) for agent in ("crumb", "rye", "oat")] == [True, True, False]
    for evidence, known in ((0.49, False), (0.5, True)):
        async with engine.begin() as connection:
            figures = {"fall": False, "below": False, "fall_evidence": evidence, "below_evidence": 0.0, "state": {}}
            await connection.execute(update(AGENT_ALARMS).values(figures))
        await suspected.look(engine, NOW)
        assert suspected(event("crumb")) is known


@pytest.mark.slow  # stores hundreds of answers
async def test_a_version_is_new_until_it_has_answers_enough(engine):
    store = PostgresScores(engine, watched=True, clock=lambda: NOW)
    await store.record(scored(range(NEW_VERSION), "1.0"))
    await store.record(scored(range(NEW_VERSION, 2 * NEW_VERSION - 1), "1.1"))
    suspected = SuspectedAgents()
    assert not suspected(event("crumb", "1.1")), "nothing is known before the first look"
    await suspected.look(engine, NOW + timedelta(hours=1))
    assert [suspected(event("crumb", each)) for each in ("1.0", "1.1", "1.2", None)] == [False, True, True, False]
    await store.record(scored([2 * NEW_VERSION], "1.1"))
    for later, new in ((timedelta(hours=1, minutes=1), True), (timedelta(hours=1) + EVERY, False)):
        await suspected.look(engine, NOW + later)
        assert suspected(event("crumb", "1.1")) is new
