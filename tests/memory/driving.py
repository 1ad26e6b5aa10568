"""A test bench for the driver: an in-memory broker, and receipts that the test resolves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.queueing.retrying import Backoff
from consumers.stream.driver import Driver, DriverPolicy, DriverWorld
from consumers.stream.ports import Partition
from tests.memory.pooling import until
from tests.memory.stream import MemoryFlow, MemoryPublisher, MemoryRecord, MemorySource

HERE, THERE = Partition("query-events", 0), Partition("query-events", 1)
SCORED = Outcome(kind=OutcomeKind.SCORED)
DEAD = Outcome(kind=OutcomeKind.DEAD_LETTERED, reason="NOT_JSON", detail="no object")
QUICK = DriverPolicy(commit_every=0.001, look_every=0.001, drain=0.05, backoff=Backoff(first=0.001, most=0.005))


@dataclass
class Bench:
    """A driver between an in-memory broker and receipts that the test resolves."""

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
    """Offset of a record that makes every batch with it fail."""
    calls: int = 0
    entered: int = 0
    """Batches that were handed over, handled or not."""

    async def handle(self, records):
        self.entered += 1
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
        world = DriverWorld(
            publisher=self.publisher,
            dead_topic="query-events.dead",
            flow=self.flow,
            failed=lambda where, error: self.faults.append(error),
            clock=lambda: 2.0,
            timer=lambda: self.now,
            excused=lambda: self.down,
        )
        driver = Driver(topic="query-events", handle=self.handle, world=world, policy=policy)
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


def records(*offsets: int, partition: int = 0, **changes) -> list[MemoryRecord]:
    return [MemoryRecord(offset=offset, partition=partition, **changes) for offset in offsets]


async def looked_again(bench: Bench) -> None:
    """Waits until the driver has measured its lag twice more, so that all other work it could do is done."""
    looks = bench.source.looks
    await until(lambda: bench.source.looks >= looks + 2)
