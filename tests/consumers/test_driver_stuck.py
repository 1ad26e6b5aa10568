"""Partitions that stand before a batch that cannot be read."""

from __future__ import annotations

from dataclasses import replace

from consumers.stream.ports import UnreadableBatch
from consumers.stream.stuck import StuckPartitions
from tests.memory.driving import HERE, QUICK, THERE, looked_again, records
from tests.memory.pooling import until
from tests.memory.stream import MemoryFlow

BATCH = UnreadableBatch(topic=HERE.topic, partition=HERE.number, offset=2, last=8, detail="Invalid CRC")


async def test_what_was_read_before_it_ends_and_other_partitions_go_on(bench):
    bench.source.behind = {HERE: 7}
    async with bench.driving() as driver:
        driver.assigned([THERE])
        driver.receive([*records(0, 1), BATCH, *records(5, 6, partition=THERE.number)])
        await until(lambda: len(bench.receipts) == 4)
        for offset in (0, 1, 5, 6):
            bench.end(offset)
        await until(lambda: bench.source.committed == {HERE: 2, THERE: 7})
        assert bench.source.held == {HERE}
        assert bench.flow.stuck_partitions == {HERE}
        assert [str(each) for each in driver.stuck] == [
            "partition 0 of query-events cannot be read at offset 2 to 8: Invalid CRC"
        ]


async def test_no_restart_is_asked_for_however_long_it_lasts(bench):
    bench.source.behind = {HERE: 7}
    async with bench.driving(replace(QUICK, retry_unreadable=10**9)) as driver:
        driver.receive([BATCH])
        bench.now = 10**6
        await looked_again(bench)
        assert driver.fault() is None
        assert bench.flow.stuck_partitions == {HERE}


async def test_it_is_fetched_again_after_a_while_and_goes_on_when_it_can_be_read(bench):
    bench.source.behind = {HERE: 7}
    async with bench.driving() as driver:
        driver.receive([BATCH])
        await looked_again(bench)
        assert bench.source.held == {HERE}
        bench.now += QUICK.retry_unreadable
        await until(lambda: not bench.source.held)
        assert bench.flow.stuck_partitions == {HERE}
        driver.receive([BATCH])
        assert bench.source.held == {HERE}
        bench.now += QUICK.retry_unreadable
        await until(lambda: not bench.source.held)
        driver.receive(records(2))
        assert (bench.flow.stuck_partitions, list(driver.stuck)) == (set(), [])


async def test_nothing_left_to_read_means_that_it_is_not_stuck(bench):
    bench.source.behind = {HERE: 7}
    async with bench.driving() as driver:
        await until(lambda: bench.flow.lags == {HERE: 7})
        driver.receive([BATCH])
        bench.source.behind = {HERE: 0}
        await until(lambda: not bench.flow.stuck_partitions)


async def test_its_next_owner_finds_out_by_itself(bench):
    async with bench.driving() as driver:
        driver.receive([BATCH])
        await driver.revoked([HERE])
        assert (bench.flow.stuck_partitions, list(driver.stuck)) == (set(), [])
        driver.receive([BATCH])
        assert not bench.flow.stuck_partitions


def test_a_partition_is_due_once_until_it_is_added_again():
    stuck = StuckPartitions(flow=MemoryFlow(), every=10.0)
    stuck.add(BATCH, 100.0)
    assert stuck.due(109.0) == []
    assert stuck.due(110.0) == [HERE]
    assert stuck.due(200.0) == []
    assert HERE in stuck
    stuck.add(BATCH, 200.0)
    assert stuck.due(210.0) == [HERE]
