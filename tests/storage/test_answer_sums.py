"""Sums per hour say what the rows say, whatever was done to the rows."""

from __future__ import annotations

import asyncio
import random
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

from service.storage.forgetting import Subject, delete_rows
from service.storage.retention import do_housekeeping
from service.storage.scores.score_store import PostgresScores
from service.storage.sums.keeping import sum_stale_hours
from service.storage.sums.reading import AnswerScope, Period, read_sums
from tests.recounted_sums import sum_differences
from tests.storage.conftest import NOW, evaluation


async def kept(engine, since=None, until=None):
    found = await read_sums(engine, AnswerScope(since=since, until=until))
    for each in found:
        assert sum(each.histogram) == each.scored
    return {
        (each.tenant, each.agent): (each.received, each.scored, round(each.score, 6), round(each.p_alone, 6))
        for each in found
    }


async def give_scores(engine, seed):
    """Rescores every row, as a backfill would, by statements of its own."""
    async with engine.begin() as connection:
        await connection.execute(text("SELECT setseed(:seed)"), {"seed": seed})
        await connection.execute(
            text(
                "UPDATE evaluations SET score = floor(random() * 10001) / 100, p_correct = random(),"
                " verdict = 'Incorrect'"
            )
        )


async def stale(engine):
    async with engine.connect() as connection:
        return await connection.scalar(text("SELECT count(*) FROM stale_hours"))


def at(hours):
    return (NOW - timedelta(hours=hours)).isoformat()


def batch(draw, start, count):
    return [
        evaluation(
            f"e{number}",
            tenant=draw.choice(["bakers", "millers"]),
            agent=draw.choice(["a", "b"]),
            occurred_at=at(draw.uniform(0, 60)),
        )
        for number in range(start, start + count)
    ]


@pytest.mark.slow  # many changes
@pytest.mark.parametrize("seed", range(3))
async def test_sums_are_what_the_rows_say_after_every_kind_of_change(engine, seed):
    draw = random.Random(seed)
    store = PostgresScores(engine)
    bounds = [
        (None, None),
        (NOW - timedelta(hours=30.4), None),
        (NOW - timedelta(hours=48), NOW - timedelta(hours=2.5)),
    ]

    async def check():
        for since, until in bounds:
            assert await sum_differences(engine, since, until) == []

    first = batch(draw, 0, 60)
    await store.record(first)
    await check()
    await sum_stale_hours(engine, NOW)
    await check()
    await store.record(first[:30] + batch(draw, 60, 20))  # again, and late
    await check()
    await give_scores(engine, seed / 10)
    await check()
    assert await sum_stale_hours(engine, NOW) > 0
    await check()
    await do_housekeeping(engine, 1, NOW)
    await check()
    await sum_stale_hours(engine, NOW)
    await check()
    await delete_rows(engine, Subject("bakers"))
    assert {tenant for tenant, _ in await kept(engine)} == {"millers"}
    await check()
    await delete_rows(engine, Subject("millers"))
    assert await kept(engine) == {}
    assert await stale(engine) == 0


async def test_a_dropped_day_leaves_no_sums(engine):
    now = datetime.now(UTC)
    await PostgresScores(engine).record([evaluation("old", occurred_at=(now - timedelta(days=9)).isoformat())])
    await sum_stale_hours(engine)
    assert len(await kept(engine)) == 1
    done = await do_housekeeping(engine, 3, now)
    assert done is not None
    assert done.dropped == 1
    assert await kept(engine) == {}


async def test_hours_that_are_over_are_summed_and_others_read_from_rows(engine):
    store = PostgresScores(engine)
    await store.record([evaluation("over", occurred_at=at(3)), evaluation("running", occurred_at=at(0))])
    assert await sum_stale_hours(engine, NOW + timedelta(minutes=10)) == 1
    assert await stale(engine) == 1
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE answer_sums SET received = 100"))
    assert [each.received for each in await read_sums(engine, AnswerScope())] == [101]


async def test_notes_of_one_hour_do_not_pile_up(engine):
    store = PostgresScores(engine)
    for number in range(5):
        await store.record([evaluation(f"e{number}", occurred_at=at(0))])
    assert await stale(engine) == 5
    await sum_stale_hours(engine, NOW)
    assert await stale(engine) == 1
    assert await sum_differences(engine) == []


async def test_a_change_that_is_not_committed_keeps_its_hour_stale(engine):
    store = PostgresScores(engine)
    await store.record([evaluation("early", occurred_at=at(3))])
    async with engine.connect() as writer:
        await writer.execute(text("UPDATE evaluations SET score = 50, p_correct = 0.5"))
        await sum_stale_hours(engine, NOW)
        assert await kept(engine) == {("default", "default"): (1, 0, 0.0, 0.0)}
        await writer.commit()
    assert await kept(engine) == {("default", "default"): (1, 1, 50.0, 0.5)}


async def test_processes_that_sum_at_once_agree(engine):
    store, draw = PostgresScores(engine), random.Random(7)
    await store.record(batch(draw, 0, 80))

    async def write():
        for start in range(80, 160, 10):
            await store.record(batch(draw, start, 10))

    async def sums():
        for _ in range(6):
            await sum_stale_hours(engine, NOW)

    await asyncio.gather(write(), sums(), sums())
    assert await sum_differences(engine) == []
    await sum_stale_hours(engine, NOW)
    assert await sum_differences(engine) == []


async def test_sums_are_separated_by_version_and_period(engine):
    await PostgresScores(engine).record(
        [
            evaluation("a", agent_version="1", occurred_at="2026-10-30T23:59:59Z"),
            evaluation("b", agent_version="2", occurred_at="2026-10-31T00:00:00Z"),
            evaluation("c", agent_version="2", occurred_at="2026-11-02T00:00:00Z"),
        ]
    )
    await sum_stale_hours(engine)
    by_day = await read_sums(engine, AnswerScope(), by_version=True, period=Period.DAY)
    assert sorted((each.agent_version, each.period.day, each.received) for each in by_day) == [
        ("1", 30, 1),
        ("2", 2, 1),
        ("2", 31, 1),
    ]
    by_week = await read_sums(engine, AnswerScope(), period=Period.WEEK)
    assert sorted((str(each.period.date()), each.received) for each in by_week) == [
        ("2026-10-26", 2),
        ("2026-11-02", 1),
    ]
    only = await read_sums(engine, AnswerScope(agent="default", agent_version="2"))
    assert [each.received for each in only] == [2]


@pytest.mark.parametrize(
    "moments",
    [
        ["0001-01-01T00:00:00Z"],
        ["0001-01-01T00:30:00Z", "9999-12-31T23:59:59.999999Z"],
        ["0001-01-01T00:00:00Z", "9999-12-31T23:00:00Z", "2026-11-02T09:00:00Z"],
    ],
)
async def test_answers_of_the_first_and_the_last_moment_are_summed_too(engine, moments):
    rows = [evaluation(f"e{number}", occurred_at=moment) for number, moment in enumerate(moments)]
    await PostgresScores(engine).record(rows)
    for _ in range(2):
        assert await kept(engine) == {("default", "default"): (len(moments), 0, 0.0, 0.0)}
        for period in Period:
            assert sum(each.received for each in await read_sums(engine, AnswerScope(), period=period)) == len(moments)
        await sum_stale_hours(engine)
