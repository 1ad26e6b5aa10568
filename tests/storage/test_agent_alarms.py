"""The agents' alarms in PostgreSQL: their state is what the answers in the order of their times give."""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache

import pytest
from sqlalchemy import select, text

from consumers.evaluation.event_evaluation import Evaluation, Scored, evaluate, line_out, time_ordered_id
from consumers.evaluation.outcomes import Trigger
from consumers.wire.events import decode_event
from evals.alarms.agent_alarm import AgentAlarm, WatchedAnswer
from evals.alarms.alarm_json import from_json
from scoring.evaluation import conclude, examine
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import local_judge
from service.storage.alarms.agent_alarms import agent_alarms
from service.storage.alarms.update_alarms import UpdateAlarms
from service.storage.alarms.watched_answers import question_digest
from service.storage.forgetting import Subject, delete_rows
from service.storage.retention import do_housekeeping
from service.storage.scores.score_store import PostgresScores
from service.storage.tables import AGENT_ALARMS, WATCHED_ANSWERS
from tests.storage.conftest import NOW, evaluation

BOUND = 50.0
SETTLE = 60.0


@cache
def scored() -> Scored:
    """A score, of which only the numbers are changed."""
    event = decode_event(
        {"event_id": "0", "question": "How many loaves?", "sql": "SELECT COUNT(*) FROM loaves"}, require_id=True
    )
    case = examine(event.query(), Rules())
    assert isinstance(case, Case)
    result = line_out("0", conclude(case, local_judge().judge(case)), Rules()).result
    assert isinstance(result, Scored)
    return result


def answer(number: int, p_alone: float, *, agent: str = "crumb", after: float | None = None, **fields) -> Evaluation:
    """One answer a second, each to another question."""
    event = decode_event(
        {
            "event_id": str(number),
            "tenant": "bakers",
            "agent": agent,
            "question": f"Loaves of oven {number}?",
            "sql": "x",
        },
        require_id=True,
    )
    moment = NOW + timedelta(seconds=number if after is None else after)
    result, composite = scored(), scored().composite
    reply = replace(result.reply, p_correct=p_alone, **fields)
    row = evaluate(event, Unscored(UnscoredReason.EMPTY_SQL, ""), Rules(), moment)
    return replace(
        row, result=result._replace(reply=reply, composite=replace(composite, score=round(100 * p_alone, 2)))
    )


def stream(count: int, *, seed: int = 1) -> list[Evaluation]:
    """Two agents' answers, of which the second half is worse."""
    numbers = random.Random(seed)
    return [
        answer(
            place,
            numbers.uniform(0.5, 0.9) if place < count / 2 else numbers.uniform(0.1, 0.4),
            agent=("crumb", "rye")[place % 2],
        )
        for place in range(count)
    ]


def taking_up(engine, *, bound: float = BOUND) -> UpdateAlarms:
    async def bounds(tenants):
        return dict.fromkeys(tenants, bound)

    return UpdateAlarms(engine, bounds, SETTLE)


async def states(engine) -> dict[str, AgentAlarm]:
    async with engine.connect() as connection:
        rows = await connection.execute(select(AGENT_ALARMS.c.agent, AGENT_ALARMS.c.state))
        return {row.agent: from_json(row.state) for row in rows}


def undisturbed(evaluations: Sequence[Evaluation]) -> dict[str, AgentAlarm]:
    found: dict[str, AgentAlarm] = {}
    for each in sorted(evaluations, key=lambda each: (each.occurred_at, each.key.digest)):
        assert isinstance(each.result, Scored)
        watched = WatchedAnswer(
            moment=each.occurred_at.timestamp(),
            p_alone=each.result.reply.p_correct,
            score=each.result.composite.score,
            question=question_digest(each.event.question),
            draw=(each.key.digest.int >> 75) / 2**53,
        )
        found.setdefault(each.event.agent, AgentAlarm()).add(watched, BOUND)
    return found


async def waiting(engine) -> int:
    async with engine.connect() as connection:
        return await connection.scalar(text("SELECT count(*) FROM watched_answers"))


def delivered_again(each: Evaluation, seconds: float) -> Evaluation:
    """The same event, scored by another process later."""
    return replace(
        each, id=time_ordered_id(each.occurred_at), received_at=each.received_at + timedelta(seconds=seconds)
    )


@pytest.mark.slow  # many orders
async def test_kills_redelivery_and_other_orders_leave_the_state_of_an_undisturbed_run(engine):
    numbers, evaluations = random.Random(3), stream(200)
    stores = [PostgresScores(engine, watched=True, clock=lambda: NOW) for _ in range(2)]
    takers = [taking_up(engine) for _ in range(2)]
    # in the order of arrival: each within the time that answers wait, many of them twice
    arriving = sorted(
        [(each.occurred_at.timestamp() + numbers.uniform(0, SETTLE / 2), each) for each in evaluations]
        + [
            (each.occurred_at.timestamp() + numbers.uniform(SETTLE / 2, SETTLE - 1), delivered_again(each, 40))
            for each in numbers.sample(evaluations, 50)
        ],
        key=lambda pair: pair[0],
    )
    for start in range(0, len(arriving), 10):
        chunk = arriving[start : start + 10]
        rows = {each.key: each for _, each in chunk}
        await numbers.choice(stores).record(list(rows.values()))
        now = NOW + timedelta(seconds=chunk[-1][0] - NOW.timestamp())
        looks = [asyncio.create_task(taker(now)) for taker in takers]
        await asyncio.sleep(0)
        if numbers.random() < 0.5:
            # a process that is killed while it takes up answers
            await asyncio.wait(looks, timeout=numbers.uniform(0, 0.01))
            looks[0].cancel()
        await asyncio.gather(*looks, return_exceptions=True)
    await taking_up(engine)(NOW + timedelta(seconds=200 + SETTLE))
    assert await waiting(engine) == 0
    assert await states(engine) == undisturbed(evaluations)
    assert all(state.fall for state in await agent_alarms(engine))


async def test_an_alarm_speaks_before_its_answers_are_settled(engine):
    evaluations = stream(200)
    await PostgresScores(engine, watched=True, clock=lambda: NOW).record(evaluations)
    await taking_up(engine)(NOW + timedelta(seconds=10))
    assert await waiting(engine) == 200
    spoken = await agent_alarms(engine)
    assert [(state.agent, state.fall, state.wrong) for state in spoken] == [("crumb", True, True), ("rye", True, True)]
    assert all(state.fall_evidence >= 1 for state in spoken)
    assert {agent: state.answers for agent, state in (await states(engine)).items()} == {"crumb": 0, "rye": 0}


async def test_a_look_without_new_answers_changes_nothing(engine):
    await PostgresScores(engine, watched=True, clock=lambda: NOW).record(stream(40))
    taker = taking_up(engine)
    assert await taker(NOW) == 2
    assert await taker(NOW) == 0
    assert await taker(NOW + timedelta(seconds=1_000)) == 2
    assert await waiting(engine) == 0


async def test_many_waiting_answers_are_looked_at_no_more_often_than_they_wait(engine):
    store, taker = PostgresScores(engine, watched=True, clock=lambda: NOW), taking_up(engine)
    await store.record([answer(place, 0.9) for place in range(150)])
    assert await taker(NOW) == 1
    await store.record([answer(150, 0.9)])
    assert await taker(NOW + timedelta(seconds=15)) == 0
    assert await taker(NOW + timedelta(seconds=SETTLE + 1)) == 1
    assert [state.answers for state in await agent_alarms(engine)] == [151]


async def test_a_retry_after_a_lost_acknowledgement_counts_once(engine):
    store, evaluations = PostgresScores(engine, watched=True, clock=lambda: NOW), stream(20)
    await store.record(evaluations)
    await taking_up(engine)(NOW + timedelta(seconds=1_000))
    assert await store.record(evaluations) == {}
    assert await waiting(engine) == 0


async def test_a_score_that_a_row_lacked_counts_once(engine):
    store = PostgresScores(engine, watched=True, clock=lambda: NOW)
    without = replace(answer(1, 0.5), result=Unscored(UnscoredReason.JUDGE_UNAVAILABLE, "down"))
    await store.record([without])
    assert await waiting(engine) == 0
    filling = replace(answer(1, 0.5), id=without.id)
    assert await store.record([filling]) == {}
    assert await waiting(engine) == 1
    assert await store.record([filling]) == {}
    assert await waiting(engine) == 1


async def test_only_scores_of_the_tenants_judge_on_live_traffic_are_evidence(engine):
    store = PostgresScores(engine, watched=True, clock=lambda: NOW)
    backfilled = replace(answer(1, 0.5), trigger=Trigger.BACKFILL)
    await store.record([backfilled, answer(2, 0.5, fallback=True), evaluation("3")])
    assert await waiting(engine) == 0
    await PostgresScores(engine, clock=lambda: NOW).record([answer(4, 0.5)])
    assert await waiting(engine) == 0


async def test_another_judge_begins_anew_and_the_latest_one_speaks(engine):
    store = PostgresScores(engine, watched=True, clock=lambda: NOW)
    await store.record([answer(place, 0.9) for place in range(10)])
    await store.record([answer(place, 0.9, judge="local/custom") for place in range(10, 13)])
    await taking_up(engine)(NOW + timedelta(seconds=1_000))
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM agent_alarms")) == 2
    spoken = await agent_alarms(engine, tenant="bakers", agent="crumb")
    assert [(state.judge, state.answers) for state in spoken] == [("local/custom", 3)]


async def test_an_answer_that_comes_late_counts_out_of_its_order(engine):
    store, taker = PostgresScores(engine, watched=True, clock=lambda: NOW), taking_up(engine)
    await store.record([answer(place, 0.9) for place in range(1, 10)])
    await taker(NOW + timedelta(seconds=1_000))
    await store.record([answer(100, 0.9, after=0)])
    await taker(NOW + timedelta(seconds=1_000))
    assert [state.answers for state in await agent_alarms(engine)] == [10]
    assert (await states(engine))["crumb"].moment == (NOW + timedelta(seconds=9)).timestamp()


async def test_a_tenant_whose_rules_cannot_be_read_waits(engine):
    async def none(_tenants):
        return {}

    await PostgresScores(engine, watched=True, clock=lambda: NOW).record(stream(10))
    await UpdateAlarms(engine, none, SETTLE)(NOW + timedelta(seconds=1_000))
    assert await waiting(engine) == 10
    await taking_up(engine)(NOW + timedelta(seconds=1_000))
    assert await waiting(engine) == 0


async def test_alarms_go_with_their_tenant_and_after_its_retention(engine):
    store = PostgresScores(engine, watched=True, clock=lambda: NOW)
    await store.record(stream(10))
    await taking_up(engine)(NOW + timedelta(seconds=1_000))
    await store.record([answer(20, 0.5), answer(21, 0.5)])
    assert (await delete_rows(engine, Subject("bakers", "20"))).watched == 1
    assert (await delete_rows(engine, Subject("bakers"))).alarms == 2
    assert await waiting(engine) == 0
    await store.record(stream(10))
    await taking_up(engine)(NOW + timedelta(seconds=1_000))
    await do_housekeeping(engine, 7, NOW + timedelta(days=9))
    async with engine.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM agent_alarms")) == 0


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
async def test_a_wrong_event_time_stops_no_alarm(engine, moment):
    event = decode_event(
        {"event_id": "1", "tenant": "bakers", "agent": "crumb", "question": "q", "sql": "x", "occurred_at": moment},
        require_id=True,
    )
    row = evaluate(event, Unscored(UnscoredReason.EMPTY_SQL, ""), Rules(), NOW)
    await PostgresScores(engine, watched=True, clock=lambda: NOW).record([replace(row, result=scored())])
    await taking_up(engine)(NOW + timedelta(seconds=1_000))
    assert [state.answers for state in await agent_alarms(engine)] == [1]
    assert WATCHED_ANSWERS.name == "watched_answers"
