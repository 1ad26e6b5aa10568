"""Deferred events and the loop that tries them again."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from consumers.decoding import Known, Record, decode
from consumers.errors import StoreUnavailable
from consumers.evaluation.deferrals import Deferral, RetryPolicy
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind
from consumers.judging.breaker import BreakerState
from consumers.pool.deferring import RetryDeferred, deferral
from consumers.pool.flight import PoolClosed
from tests.memory.stores import MemoryDeferred, MemoryScores

NOW = datetime(2026, 11, 2, tzinfo=UTC)


def record(sql: str = "SELECT COUNT(*) FROM ovens", **changes: Any) -> Record:
    payload = {"event_id": "1", "question": "How many ovens are there?", "sql": sql, **changes}
    return Record(payload=payload, require_id=True, size=100)


def test_a_throttled_event_keeps_all_its_tries():
    attempts = 0
    for _ in range(50):
        known = decode(replace(record(), attempts=attempts + 1))
        assert isinstance(known, Known)
        kept = deferral(known, DeferredReason.TENANT_THROTTLED, RetryPolicy(attempts=3), NOW)
        assert kept is not None
        attempts = kept.attempts
    assert attempts == 0


def deferral_by_another_worker(world, each: Record) -> Deferral:
    known = decode(each)
    assert isinstance(known, Known)
    kept = deferral(known, DeferredReason.EVENT_DEADLINE, RetryPolicy(), world.now)
    assert kept is not None
    return kept


def retrying(world, pool, **parts) -> RetryDeferred:
    world.now += timedelta(hours=1)
    known = {"deferred": world.deferred, "outcomes": world.outcomes, "clock": lambda: world.now}
    return RetryDeferred(**known | {"submit": pool.submit, "breaker": lambda: BreakerState.CLOSED} | parts)


async def test_an_event_deferred_after_another_worker_stored_its_row_is_dropped(world):
    async with world.running() as pool:
        await asyncio.gather(*await pool.submit([record()]))
        await world.deferred.defer([deferral_by_another_worker(world, record())])
        assert await retrying(world, pool)() == 1
    assert world.deferred.kept == {}
    assert world.outcomes.outcomes[-1].kind is OutcomeKind.DUPLICATE


async def test_a_deferred_event_whose_id_was_taken_meanwhile_becomes_a_dead_letter(world):
    dead_lettered = []

    async def on_dead_letter(kept, outcome):
        dead_lettered.append((kept.payload, outcome.reason))

    async with world.running() as pool:
        kept = deferral_by_another_worker(world, record())
        await world.deferred.defer([kept])
        await asyncio.gather(*await pool.submit([record(sql="SELECT 2")]))
        assert await retrying(world, pool, on_dead_letter=on_dead_letter)() == 1
    assert dead_lettered == [(kept.payload, "ID_CONFLICT")]
    assert world.deferred.kept == {}


@dataclass
class Board:
    """A `Results` that blocks while it is shut."""

    open: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    told: list = field(default_factory=list)

    async def publish(self, ends):
        self.asked.set()
        await self.open.wait()
        self.told += [(key.event_id, getattr(end, "id", None) or end.evaluation_id) for key, end in ends.items()]


async def test_a_deferral_is_dropped_only_after_its_result_is_published_even_if_the_process_dies(world):
    await world.deferred.defer([deferral_by_another_worker(world, record())])
    world.now += timedelta(hours=1)
    dying = Board()
    pool = world.pool(results=[dying])
    working = asyncio.create_task(pool.run())
    trying = asyncio.create_task(retrying(world, pool)())
    async with asyncio.timeout(20):
        await dying.asked.wait()
    [row] = world.store.rows.values()
    assert len(world.deferred.kept) == 1
    for task in (trying, working):
        task.cancel()
    await asyncio.gather(trying, working, return_exceptions=True)
    board = Board()
    board.open.set()
    async with world.running(results=[board]) as pool:
        assert await retrying(world, pool)() == 1
    assert (dying.told, board.told) == ([], [("1", row.id)])
    assert world.deferred.kept == {}


async def defer_events(world, count: int) -> None:
    await world.deferred.defer([deferral_by_another_worker(world, record(event_id=str(each))) for each in range(count)])


@pytest.mark.parametrize("state", [BreakerState.OPEN, BreakerState.HALF_OPEN])
async def test_while_the_breaker_is_not_closed_only_a_few_are_tried_and_then_all_at_once(world, state):
    await defer_events(world, 30)
    async with world.running() as pool:
        retry = retrying(world, pool, breaker=lambda: state, few=4)
        assert await retry() == 4
        assert [each.attempts for each in world.deferred.kept.values()] == [0] * 26
        assert await replace(retry, breaker=lambda: BreakerState.CLOSED)() == 26


@dataclass
class Halting(MemoryDeferred):
    """A store that fails the first few calls of `drop` and `defer`."""

    halts: int = 1

    def _answer(self):
        self.halts -= 1
        if self.halts >= 0:
            raise StoreUnavailable("away")

    async def drop(self, keys):
        self._answer()
        await MemoryDeferred.drop(self, keys)

    async def defer(self, deferrals):
        self._answer()
        return await MemoryDeferred.defer(self, deferrals)


async def test_an_ended_deferral_is_dropped_once_and_dead_lettered_once_however_long_the_store_is_down(world):
    dead_lettered = []

    async def on_dead_letter(kept, outcome):
        dead_lettered.append(outcome.reason)

    await defer_events(world, 1)
    store = Halting(kept=world.deferred.kept)
    async with world.running() as pool:
        await asyncio.gather(*await pool.submit([record(sql="SELECT 2", event_id="0")]))
        assert await retrying(world, pool, deferred=store, on_dead_letter=on_dead_letter, pause=0.001)() == 1
    assert (dead_lettered, store.kept, world.outcomes.stalls) == (["ID_CONFLICT"], {}, ["deferred"])


async def test_an_event_the_pool_hands_back_is_due_before_its_lease_ends(world):
    class Away(MemoryScores):
        async def claims(self, keys):
            raise StoreUnavailable("away")

    await defer_events(world, 2)
    store = Halting(kept=world.deferred.kept, halts=3)
    async with world.running(store=Away()) as pool:
        assert await retrying(world, pool, deferred=store, pause=0.001, handed_back=5)() == 0
    assert [each.due - world.now for each in store.kept.values()] == [timedelta(seconds=5)] * 2
    assert store.halts < 0


async def test_an_event_that_does_not_end_delays_the_others_no_longer_than_its_lease(world):
    async def submit(records):
        receipts = [asyncio.get_running_loop().create_future() for _ in records]
        receipts[1].set_result(Outcome(kind=OutcomeKind.SCORED))
        receipts[2].set_exception(PoolClosed("stopping"))
        return receipts

    await defer_events(world, 3)
    async with asyncio.timeout(20):
        async with world.running() as pool:
            assert await retrying(world, pool, submit=submit, lease=0.01)() == 1
    assert [key.event_id for key in world.deferred.kept] == ["0", "2"]


async def test_the_loop_goes_on_after_a_bug(world):
    class Buggy(MemoryDeferred):
        async def lease_due(self, now, limit, lease_seconds):
            raise ValueError("no such reason")

    async with world.running() as pool:
        running = asyncio.create_task(retrying(world, pool, deferred=Buggy(), pause=0.001).run())
        async with asyncio.timeout(20):
            while len(world.outcomes.faults) < 2:  # noqa: ASYNC110 the loop under test has no event to wait for
                await asyncio.sleep(0.001)
        assert not running.done()
        running.cancel()
