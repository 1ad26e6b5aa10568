"""Records that the driver publishes as dead letters, and bugs."""

from __future__ import annotations

from types import SimpleNamespace

from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.pool.flight import PoolClosed
from consumers.queueing.retrying import Backoff
from consumers.stream.dead_letter_limit import DeadLetterPolicy
from consumers.stream.dead_letters import read_dead_letter
from consumers.stream.driver import DriverPolicy
from tests.memory.driving import DEAD, HERE, Bench, looked_again, records
from tests.memory.pooling import until
from tests.memory.stream import MemoryRecord


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


async def test_what_a_bug_hands_back_again_and_again_is_a_dead_letter(bench):
    bug = Outcome(kind=OutcomeKind.DEFERRED, reason="INTERNAL_ERROR")
    async with bench.driving() as driver:
        driver.receive(records(0))
        for tries in range(1, 4):
            await until(lambda tries=tries: len(bench.receipts.get(0, ())) == tries)
            bench.end(0, bug)
        await until(lambda: bench.source.committed == {HERE: 1})
    assert bench.flow.dead == {"INTERNAL_ERROR": 1}


async def test_too_many_dead_letters_stop_the_reading_for_good(bench):
    policy = DriverPolicy(limit=DeadLetterPolicy(consecutive=2), commit_every=0.001, look_every=0.001)
    async with bench.driving(policy) as driver:
        driver.receive(records(0, 1))
        await until(lambda: len(bench.receipts) == 2)
        bench.end(0, DEAD)
        bench.end(1, DEAD)
        await until(lambda: driver.halted is not None)
        assert bench.source.paused
        driver.assigned([HERE])
        assert bench.source.paused
        driver.receive(records(2))
        await looked_again(bench)
        assert 2 not in bench.receipts
        assert "stopped" in (driver.fault() or "")
    assert bench.flow.halts == [f"{driver.topic}: 2 dead letters in a row"]


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


async def test_a_pool_that_has_closed_makes_no_dead_letters(bench):
    bench.bug = PoolClosed("the service stopped")
    async with bench.driving() as driver:
        driver.receive(records(0, 1))
        await until_called(bench, 5)
        bench.bug = None
        await until(lambda: len(bench.receipts) == 2)
        bench.end(0)
        bench.end(1)
        await until(lambda: bench.source.committed == {HERE: 2})
    assert (bench.flow.dead, bench.faults) == ({}, [])


async def until_called(bench: Bench, calls: int) -> None:
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
