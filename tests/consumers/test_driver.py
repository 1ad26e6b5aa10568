"""What the driver hands on, commits and pauses."""

from __future__ import annotations

import asyncio

from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.stream.driver import DriverPolicy
from tests.memory.driving import HERE, SCORED, records
from tests.memory.pooling import until


async def test_nothing_is_committed_before_all_before_it_has_ended(bench):
    async with bench.driving() as driver:
        driver.receive(records(0, 1, 2))
        await until(lambda: len(bench.receipts) == 3)
        bench.end(2)
        bench.end(1)
        await until(lambda: len(bench.flow.ages) == 0 and driver.fault() is None)
        assert bench.source.committed == {}
        bench.end(0)
        await until(lambda: bench.source.committed == {HERE: 3})


async def test_what_is_handed_back_is_handed_on_again(bench):
    lost = Outcome(kind=OutcomeKind.DEFERRED, reason="STORE_UNAVAILABLE")
    async with bench.driving() as driver:
        driver.receive(records(0))
        for tries in range(1, 6):
            await until(lambda tries=tries: len(bench.receipts.get(0, ())) == tries)
            bench.end(0, lost if tries < 5 else SCORED)
        await until(lambda: bench.source.committed == {HERE: 1})


async def test_a_handler_that_raises_loses_nothing(bench):
    bench.bug = ZeroDivisionError()
    async with bench.driving() as driver:
        driver.receive(records(0))
        await until(lambda: bool(bench.faults))
        bench.bug = None
        await until(lambda: 0 in bench.receipts)
        bench.end(0)
        await until(lambda: bench.source.committed == {HERE: 1})


async def test_what_is_kept_for_later_and_what_needs_no_outcome_has_ended(bench):
    async with bench.driving() as driver:
        driver.receive(records(0, 1))
        await until(lambda: len(bench.receipts) == 2)
        bench.end(0, Outcome(kind=OutcomeKind.DEFERRED, reason="TENANT_THROTTLED", kept=True))
        bench.end(1, None)
        await until(lambda: bench.source.committed == {HERE: 2})


async def test_fetching_pauses_while_too_much_waits_and_goes_on_when_it_is_handed_on(bench):
    bench.room.clear()
    async with bench.driving(DriverPolicy(ahead=4, commit_every=0.001)) as driver:
        driver.receive(records(*range(3)))
        assert not bench.source.paused
        await asyncio.sleep(0)
        driver.receive(records(*range(3, 9)))
        assert bench.source.paused
        bench.room.set()
        await until(lambda: not bench.source.paused)
    assert bench.flow.pauses == [True, False]


async def test_large_values_pause_fetching_by_their_bytes(bench):
    bench.room.clear()
    async with bench.driving(DriverPolicy(ahead_bytes=1000, commit_every=0.001)) as driver:
        driver.receive(records(0))
        await asyncio.sleep(0)
        driver.receive(records(1, 2, value=b"x" * 600))
        assert bench.source.paused
        bench.room.set()
        await until(lambda: not bench.source.paused)


async def test_a_commit_that_fails_is_counted_and_made_again(bench):
    bench.source.failures = 2
    async with bench.driving() as driver:
        driver.receive(records(0))
        await until(lambda: 0 in bench.receipts)
        bench.end(0)
        await until(lambda: bench.source.committed == {HERE: 1})
    assert bench.flow.commits == {"failed": 2, "done": 1}
