"""Days have partitions; what lies further off, or came before its partition, is with other days and is not lost."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import pytest
from sqlalchemy import text

from service.storage.partitions import AHEAD, BACK, OTHER_DAYS, make_partition, partition_names
from service.storage.scores.score_store import PostgresScores
from tests.storage.conftest import NOW, evaluation


async def rows_of(engine, partition: str) -> int:
    async with engine.connect() as connection:
        return await connection.scalar(text(f"SELECT count(*) FROM {partition}"))


async def days(engine) -> list[str]:
    async with engine.connect() as connection:
        return [name for name in await partition_names(connection) if name != OTHER_DAYS]


async def test_a_late_event_makes_the_partition_of_its_day(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    await store.record([evaluation("a", occurred_at="2026-09-01T23:59:59.999999Z"), evaluation("b")])
    assert await days(engine) == ["evaluations_20260901", "evaluations_20261102"]
    assert [await rows_of(engine, name) for name in (*await days(engine), OTHER_DAYS)] == [1, 1, 0]


@pytest.mark.parametrize(
    "moment",
    ["0001-01-01T00:00:00Z", "1969-12-31T00:00:00Z", NOW - timedelta(days=BACK + 1), NOW + timedelta(days=AHEAD + 1)],
)
async def test_an_event_time_far_from_today_makes_no_partition(engine, moment):
    store = PostgresScores(engine, clock=lambda: NOW)
    await store.record([evaluation("a", occurred_at=str(moment))])
    assert (await days(engine), await rows_of(engine, OTHER_DAYS)) == ([], 1)


async def test_events_of_every_day_there_is_make_a_bounded_number_of_partitions(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    store.partitions.known.update(NOW.date() - timedelta(days=number) for number in range(3, BACK + 1))
    moments = [NOW + timedelta(days=37 * number) for number in range(-300, 300)] + [NOW + timedelta(days=1)]
    await store.record([evaluation(str(each), occurred_at=str(each)) for each in moments])
    assert await days(engine) == ["evaluations_20261102", "evaluations_20261103"]
    assert await rows_of(engine, "evaluations") == len(moments)


async def test_a_new_partition_takes_its_rows_from_other_days(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    store.partitions.known.add(NOW.date())
    await store.record([evaluation("a"), evaluation("b", occurred_at="1999-01-01T00:00:00Z")])
    assert await rows_of(engine, OTHER_DAYS) == 2
    assert await make_partition(engine, NOW.date()) == 1
    assert await make_partition(engine, NOW.date()) is None
    assert (await rows_of(engine, OTHER_DAYS), await rows_of(engine, "evaluations_20261102")) == (1, 1)


async def test_processes_that_make_the_same_day_while_others_write_lose_nothing(engine):
    stores = [PostgresScores(engine, clock=lambda: NOW) for _ in range(3)]
    batches = [[evaluation(f"{store}-{number}") for number in range(40)] for store in range(3)]
    wanted = date(2026, 11, 2)
    stood = await asyncio.gather(
        *(store.record(batch) for store, batch in zip(stores, batches, strict=True)),
        *(make_partition(engine, wanted) for _ in range(2)),
    )
    assert [each for each in stood if each] == []
    assert await rows_of(engine, "evaluations_20261102") == 120


@pytest.mark.slow  # waits for a lock
async def test_a_partition_that_cannot_be_made_in_time_stops_no_row(engine):
    store = PostgresScores(engine, clock=lambda: NOW)
    async with engine.begin() as other:
        await other.execute(text(f"SELECT pg_advisory_xact_lock_shared(5317042), count(*) FROM {OTHER_DAYS}"))
        await store.record([evaluation("a")])
    assert (await days(engine), await rows_of(engine, OTHER_DAYS)) == ([], 1)
    await store.record([evaluation("b")])
    assert await days(engine) == []
    later = PostgresScores(engine, clock=lambda: NOW + timedelta(minutes=2))
    await later.record([evaluation("c")])
    assert (await days(engine), await rows_of(engine, "evaluations_20261102")) == (["evaluations_20261102"], 3)
