"""The pool: records in, receipts out."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from consumers.evaluation.outcomes import OutcomeKind
from consumers.pool.flight import PoolClosed
from tests.memory.pooling import PATIENT, Gate, record, until


def times(world: Any, stage: str) -> int:
    """How often the stage was passed."""
    return [name for name, _ in world.outcomes.stages].count(stage)


async def test_each_receipt_resolves_with_its_own_records_outcome(world):
    async with world.running() as pool:
        receipts = await pool.submit([record(number) for number in range(6)])
        outcomes = await asyncio.gather(*receipts)
    assert [outcome.event_id for outcome in outcomes] == list("012345")


async def test_a_sender_waits_while_the_pool_is_full(world):
    gate = Gate()
    async with world.running(store=gate, limits=replace(PATIENT, records=2)) as pool:
        await pool.submit([record(1), record(2)])
        assert pool.full
        late = asyncio.create_task(pool.submit([record(3)]))
        await gate.asked.wait()
        assert not late.done()
        gate.open.set()
        [receipt] = await late
        assert (await receipt).event_id == "3"


async def test_records_in_flight_are_limited_in_bytes_but_one_large_record_passes_alone(world):
    gate = Gate()
    async with world.running(store=gate, limits=replace(PATIENT, size=50)) as pool:
        await pool.submit([record(1)])
        late = asyncio.create_task(pool.submit([record(2)]))
        await gate.asked.wait()
        assert not late.done()
        gate.open.set()
        await asyncio.gather(*await late)
    assert len(gate.rows) == 2


async def test_a_closed_pool_finishes_its_records_and_accepts_no_more(world):
    async with world.running() as pool:
        [receipt] = await pool.submit([record()])
        pool.close()
        with pytest.raises(PoolClosed):
            await pool.submit([record(2)])
    assert receipt.result().kind is OutcomeKind.SCORED


async def test_a_cancelled_pool_fails_its_receipts_and_the_count_still_adds_up(world):
    gate = Gate()
    pool = world.pool(store=gate)
    [receipt] = await pool.submit([record()])
    worker = asyncio.create_task(pool.run())
    await gate.asked.wait()
    worker.cancel()
    with pytest.raises(PoolClosed):
        await receipt
    with pytest.raises(asyncio.CancelledError):
        await worker
    assert [each.reason for each in world.outcomes.outcomes] == ["INTERRUPTED"]
    assert world.outcomes.tally.balanced


async def test_a_sender_who_gave_up_does_not_disturb_the_others(world):
    async with world.running() as pool:
        gone, waiting = await pool.submit([record(1), record(2)])
        gone.cancel()
        assert (await waiting).event_id == "2"


async def test_a_patient_pool_waits_for_a_store_that_is_down_and_loses_nothing(world):
    gate = Gate(down=5)
    gate.open.set()
    async with world.running(store=gate, limits=PATIENT) as pool:
        outcomes = await asyncio.gather(*await pool.submit([record(1), record(2)]))
    assert [each.kind for each in outcomes] == [OutcomeKind.SCORED] * 2
    assert world.outcomes.stalls == ["StoreUnavailable"] * 5


async def test_rows_of_several_batches_are_written_together(world):
    gate = Gate()
    async with world.running(store=gate, limits=PATIENT) as pool:
        receipts = await pool.submit([record(0)])
        await gate.asked.wait()
        for number in range(1, 6):
            receipts += await pool.submit([record(number)])
            await until(lambda number=number: times(world, "examine") == number + 1)
        gate.open.set()
        await asyncio.gather(*receipts)
    assert gate.groups == [1, 5]


async def test_records_not_even_decoded_when_the_pool_is_cancelled_are_counted_on_both_sides(world):
    pool = world.pool(store=Gate(), limits=replace(PATIENT, batch=1))
    await pool.submit([record(number) for number in range(5)])
    worker = asyncio.create_task(pool.run())
    await asyncio.sleep(0)
    worker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await worker
    assert (world.outcomes.tally.consumed, world.outcomes.tally.balanced) == (5, True)
