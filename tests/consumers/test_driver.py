from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.pool.flight import PoolClosed
from consumers.queueing.retrying import Backoff
from consumers.stream.dead_letter_limit import DeadLetterPolicy
from consumers.stream.dead_letters import read_dead_letter
from consumers.stream.driver import Driver, DriverPolicy
from consumers.stream.ports import Partition
from tests.memory.stream import MemoryFlow, MemoryPublisher, MemoryRecord, MemorySource

HERE, THERE = Partition("query-events", 0), Partition("query-events", 1)
SCORED = Outcome(kind=OutcomeKind.SCORED)
DEAD = Outcome(kind=OutcomeKind.DEAD_LETTERED, reason="NOT_JSON", detail="no object")
QUICK = DriverPolicy(commit_every=0.001, look_every=0.001, drain=0.05, backoff=Backoff(first=0.001, most=0.005))


@dataclass
class Bench:
    """A driver between a memory of a broker and receipts that the test resolves."""

    source: MemorySource = field(default_factory=MemorySource)
    publisher: MemoryPublisher = field(default_factory=MemoryPublisher)
    flow: MemoryFlow = field(default_factory=MemoryFlow)
    receipts: dict[int, list[asyncio.Future]] = field(default_factory=dict)
    faults: list = field(default_factory=list)
    now: float = 0.0
    down: bool = False
    room: asyncio.Event = field(default_factory=asyncio.Event)
    bug: Exception | None = None
    poison: int | None = None
    """Offset of a record with which no batch can be handled."""
    calls: int = 0

    async def handle(self, records):
        await self.room.wait()
        self.calls += 1
        if self.bug is not None:
            raise self.bug
        if any(record.offset == self.poison for record in records):
            raise ZeroDivisionError
        made = [asyncio.get_running_loop().create_future() for _ in records]
        for record, receipt in zip(records, made, strict=True):
            self.receipts.setdefault(record.offset, []).append(receipt)
        return made

    @asynccontextmanager
    async def driving(self, policy: DriverPolicy = QUICK) -> AsyncIterator[Driver]:
        driver = Driver(
            topic="query-events",
            dead_topic="query-events.dead",
            handle=self.handle,
            publisher=self.publisher,
            flow=self.flow,
            failed=lambda where, error: self.faults.append(error),
            clock=lambda: 2.0,
            timer=lambda: self.now,
            policy=policy,
            excused=lambda: self.down,
        )
        driver.attach(self.source)
        driver.assigned([HERE])
        task = asyncio.create_task(driver.run())
        try:
            yield driver
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def end(self, offset: int, outcome: Outcome | None = SCORED) -> None:
        self.receipts[offset][-1].set_result(outcome)


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.room.set()
    return bench


def records(*offsets: int, partition: int = 0, **changes) -> list[MemoryRecord]:
    return [MemoryRecord(offset=offset, partition=partition, **changes) for offset in offsets]


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 the driver has no event that only tests would wait for
            await asyncio.sleep(0.001)


async def settle() -> None:
    """Lets everything that can go on go on."""
    for _ in range(100):
        await asyncio.sleep(0)


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


async def test_a_dead_letter_is_acknowledged_before_its_offset_is_committed(bench):
    bench.publisher.failures = 3
    async with bench.driving() as driver:
        driver.receive(records(4, value=b"{"))
        await until(lambda: 4 in bench.receipts)
        bench.end(4, DEAD)
        await until(lambda: bench.source.committed == {HERE: 5})
    [message] = bench.publisher.messages
    letter = read_dead_letter(MemoryRecord(offset=0, headers=message.headers, value=message.value))
    assert (letter.reason, letter.offset, letter.value) == ("NOT_JSON", 4, b"{")
    assert bench.flow.dead == {"NOT_JSON": 1}


async def test_a_dead_letter_too_large_for_the_broker_is_cut_until_it_fits(bench):
    bench.publisher.largest = 10_000
    async with bench.driving() as driver:
        driver.receive([*records(0, value=b"x" * 500_000), *records(1)])
        await until(lambda: 1 in bench.receipts)
        bench.end(0, DEAD)
        bench.end(1, DEAD)
        await until(lambda: bench.source.committed == {HERE: 2})
    assert sorted(len(each.value) for each in bench.publisher.messages) == [2, 9216]


async def test_what_is_handed_back_is_handed_on_again(bench):
    lost = Outcome(kind=OutcomeKind.DEFERRED, reason="STORE_UNAVAILABLE")
    async with bench.driving() as driver:
        driver.receive(records(0))
        for tries in range(1, 6):
            await until(lambda tries=tries: len(bench.receipts.get(0, ())) == tries)
            bench.end(0, lost if tries < 5 else SCORED)
        await until(lambda: bench.source.committed == {HERE: 1})


async def test_what_a_bug_hands_back_again_and_again_is_a_dead_letter(bench):
    bug = Outcome(kind=OutcomeKind.DEFERRED, reason="INTERNAL_ERROR")
    async with bench.driving() as driver:
        driver.receive(records(0))
        for tries in range(1, 4):
            await until(lambda tries=tries: len(bench.receipts.get(0, ())) == tries)
            bench.end(0, bug)
        await until(lambda: bench.source.committed == {HERE: 1})
    assert bench.flow.dead == {"INTERNAL_ERROR": 1}


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


async def test_a_rebalance_commits_what_has_ended_and_forgets_the_rest(bench):
    async with bench.driving() as driver:
        driver.receive(records(0, 1))
        await until(lambda: len(bench.receipts) == 2)
        bench.end(0)
        await driver.revoked([HERE])
        assert bench.source.committed == {HERE: 1}
        driver.assigned([THERE])
        driver.receive(records(2))
        bench.end(1)
        await settle()
        assert bench.source.committed == {HERE: 1}
        assert 2 not in bench.receipts


async def test_a_rebalance_waits_for_what_ends_in_time_and_leaves_what_was_not_begun(bench):
    policy = DriverPolicy(drain=10, ahead=2, commit_every=10)
    async with bench.driving(policy) as driver:
        driver.receive(records(0, 1))
        await until(lambda: len(bench.receipts) == 2)
        bench.room.clear()
        driver.receive(records(2))
        await settle()
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


async def test_too_many_dead_letters_stop_the_reading_for_good(bench):
    async with bench.driving(DriverPolicy(limit=DeadLetterPolicy(consecutive=2), commit_every=0.001)) as driver:
        driver.receive(records(0, 1))
        await until(lambda: len(bench.receipts) == 2)
        bench.end(0, DEAD)
        bench.end(1, DEAD)
        await until(lambda: driver.halted is not None)
        assert bench.source.paused
        driver.assigned([HERE])
        assert bench.source.paused
        driver.receive(records(2))
        await settle()
        assert 2 not in bench.receipts
        assert "stopped" in (driver.fault() or "")


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
            await settle()
            assert driver.fault() is None
        bench.now += 1000.0
        assert "9 wait" in (driver.fault() or "")


async def test_a_record_that_cannot_be_buried_is_a_fault_though_all_after_it_end(bench):
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
            await settle()
        assert "4 wait" in (driver.fault() or "")
        bench.publisher.failures = 0
        await until(lambda: driver.fault() is None)


async def test_a_letter_that_the_broker_takes_in_no_size_is_tried_with_pauses_and_holds_its_place(bench):
    bench.publisher.largest = -1
    async with bench.driving() as driver:
        driver.receive(records(0, value=b"x" * 5000, headers=[("a", b"b")], key=b"k"))
        await until(lambda: 0 in bench.receipts)
        bench.end(0, DEAD)
        await until(lambda: bench.publisher.calls >= 10)
        assert (bench.source.committed, bench.flow.dead) == ({}, {})
        bench.publisher.largest = 0
        await until(lambda: bench.source.committed == {HERE: 1})
    [letter] = bench.publisher.messages
    assert (letter.value, [name for name, _ in letter.headers if not name.startswith("dead-letter-")]) == (b"", [])


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


async def test_a_pool_that_has_closed_buries_nothing(bench):
    bench.bug = PoolClosed("the service stopped")
    async with bench.driving() as driver:
        driver.receive(records(0, 1))
        await settle_for(bench, 5)
        bench.bug = None
        await until(lambda: len(bench.receipts) == 2)
        bench.end(0)
        bench.end(1)
        await until(lambda: bench.source.committed == {HERE: 2})
    assert (bench.flow.dead, bench.faults) == ({}, [])


async def settle_for(bench: Bench, calls: int) -> None:
    """Until the handler was called so often."""
    before = bench.calls
    await until(lambda: bench.calls >= before + calls)


async def test_one_record_that_no_handler_can_take_costs_the_others_of_its_batch_nothing(bench):
    bench.poison = 2
    async with bench.driving() as driver:
        driver.receive(records(0, 1, 2, 3))
        await until(lambda: len(bench.receipts) == 3)
        for offset in (0, 1, 3):
            bench.end(offset)
        await until(lambda: bench.source.committed == {HERE: 4})
    assert bench.flow.dead == {"INTERNAL_ERROR": 1}


async def test_fetching_pauses_while_dead_letters_cannot_be_written(bench):
    bench.publisher.failures = 10**6
    policy = DriverPolicy(ahead=4, commit_every=0.001, drain=0.05, backoff=Backoff(first=0.001, most=0.005))
    async with bench.driving(policy) as driver:
        for start in range(0, 200, 2):
            if bench.source.paused:
                break
            driver.receive(records(start, start + 1))
            await until(lambda last=start + 1: last in bench.receipts)
            bench.end(start, DEAD)
            bench.end(start + 1, DEAD)
            await settle()
        assert bench.source.paused
        bench.publisher.failures = 0
        await until(lambda: not bench.source.paused and driver.waiting == 0)


async def test_a_driver_that_a_bug_ended_says_so(bench):
    async def publish(messages):
        raise ZeroDivisionError

    bench.publisher = SimpleNamespace(publish=publish)
    async with bench.driving() as driver:
        driver.receive(records(0))
        await until(lambda: 0 in bench.receipts)
        bench.end(0, DEAD)
        await until(lambda: driver.fault() is not None)
        assert "stopped by a bug" in driver.fault()
    assert bench.faults
