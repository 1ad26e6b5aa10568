"""Partitions that come, go and stand still."""

from __future__ import annotations

import asyncio

from consumers.stream.driver import DriverPolicy
from tests.memory.driving import DEAD, HERE, THERE, looked_again, records
from tests.memory.pooling import until


async def test_a_rebalance_commits_what_has_ended_and_forgets_the_rest(bench):
    async with bench.driving() as driver:
        driver.receive(records(0, 1))
        await until(lambda: len(bench.receipts) == 2)
        bench.end(0)
        await driver.revoked([HERE])
        assert bench.source.committed == {HERE: 1}
        driver.assigned([THERE])
        driver.receive([*records(2), *records(7, partition=THERE.number)])
        bench.end(1)
        await until(lambda: 7 in bench.receipts)
        bench.end(7)
        await until(lambda: THERE in bench.source.committed)
        assert bench.source.committed == {HERE: 1, THERE: 8}
        assert 2 not in bench.receipts


async def test_a_rebalance_waits_for_what_ends_in_time_and_leaves_what_was_not_begun(bench):
    policy = DriverPolicy(drain=10, ahead=2, commit_every=10)
    async with bench.driving(policy) as driver:
        driver.receive(records(0, 1))
        await until(lambda: len(bench.receipts) == 2)
        bench.room.clear()
        driver.receive(records(2))
        await until(lambda: bench.entered == 2)
        driver.receive(records(3, 4))
        revoking = asyncio.create_task(driver.revoked([HERE]))
        await asyncio.sleep(0)
        bench.room.set()
        await until(lambda: 2 in bench.receipts)
        for offset in (0, 1, 2):
            bench.end(offset)
        await revoking
    assert bench.source.committed == {HERE: 3}
    assert sorted(bench.receipts) == [0, 1, 2]


async def test_a_partition_lost_meanwhile_is_not_committed_and_counted_so(bench):
    bench.source.lost = True
    async with bench.driving() as driver:
        driver.receive(records(0))
        await until(lambda: 0 in bench.receipts)
        bench.end(0)
        await until(lambda: bench.flow.commits["not_assigned"] > 0)


async def test_no_progress_while_records_wait_is_a_fault_unless_a_dependency_is_down(bench):
    async with bench.driving() as driver:
        driver.receive(records(0))
        await until(lambda: 0 in bench.receipts)
        bench.now = 1000.0
        assert "1 wait" in (driver.fault() or "")
        bench.down = True
        await until(lambda: driver.fault() is None)
        bench.down = False
        bench.now = 5000.0
        assert driver.fault() is not None
        bench.end(0)
        await until(lambda: driver.fault() is None)


async def test_a_broker_that_does_not_answer_is_no_fault_however_long_it_is_away(bench):
    bench.source.behind = {HERE: 7}
    async with bench.driving() as driver:
        await until(lambda: bench.flow.lags == {HERE: 7})
        bench.source.away = True
        bench.now = 1000.0
        await until(lambda: driver.fault() is None)
        bench.source.away = False
        bench.now = 1100.0
        assert driver.fault() is None
        bench.now = 5000.0
        assert driver.fault() is not None


async def test_a_broker_that_leaves_a_question_open_is_no_fault(bench):
    bench.source.behind = {HERE: 7}
    async with bench.driving(DriverPolicy(stalled=0.03)) as driver:
        await until(lambda: bench.flow.lags == {HERE: 7})
        bench.source.silent = True
        bench.now = 1000.0
        await until(lambda: driver.fault() is None)


async def test_a_partition_of_which_nothing_is_fetched_may_wait_for_another_that_moves(bench):
    bench.source.behind = {HERE: 0, THERE: 9}
    async with bench.driving() as driver:
        driver.assigned([THERE])
        await until(lambda: bench.flow.lags.get(THERE) == 9)
        for offset in range(3):
            bench.now += 100.0
            driver.receive(records(offset))
            await until(lambda offset=offset: offset in bench.receipts)
            bench.end(offset)
            await looked_again(bench)
            assert driver.fault() is None
        bench.now += 1000.0
        assert "9 wait" in (driver.fault() or "")


async def test_a_dead_letter_that_cannot_be_published_is_a_fault_though_all_later_records_end(bench):
    bench.publisher.failures = 10**6
    async with bench.driving() as driver:
        driver.receive(records(0))
        await until(lambda: 0 in bench.receipts)
        bench.end(0, DEAD)
        for offset in range(1, 4):
            bench.now += 100.0
            driver.receive(records(offset))
            await until(lambda offset=offset: offset in bench.receipts)
            bench.end(offset)
            await looked_again(bench)
        assert "4 wait" in (driver.fault() or "")
        bench.publisher.failures = 0
        await until(lambda: driver.fault() is None)


async def test_records_published_and_never_fetched_are_a_fault_too(bench):
    bench.source.behind = {HERE: 7}
    async with bench.driving() as driver:
        await until(lambda: bench.flow.lags == {HERE: 7})
        bench.now = 1000.0
        assert "7 wait" in (driver.fault() or "")


async def test_a_drain_takes_no_more_and_commits_what_ended(bench):
    async with bench.driving() as driver:
        driver.receive(records(0, 1, timestamp=1000))
        await until(lambda: len(bench.receipts) == 2)
        draining = asyncio.create_task(driver.drain(10))
        await asyncio.sleep(0)
        assert bench.source.paused
        bench.end(0)
        bench.end(1)
        await draining
    assert bench.source.committed == {HERE: 2}
    assert bench.flow.ages == [1.0, 1.0]
