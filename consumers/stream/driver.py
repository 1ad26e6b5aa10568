"""Drives one topic: hands its records to a handler, follows each to its outcome, and commits only what has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind
from consumers.queueing.isolation import isolate_failures
from consumers.queueing.retrying import Backoff
from consumers.stream.backlog import Backlog, Item
from consumers.stream.commits import Commits
from consumers.stream.dead_letter_limit import DeadLetterLimit, DeadLetterPolicy
from consumers.stream.dead_letter_queue import DeadLetterQueue
from consumers.stream.offsets import Offsets, Prefix
from consumers.stream.ports import (
    Flow,
    Partition,
    Publisher,
    StreamRecord,
    TopicConsumer,
    UnreadableBatch,
    partition_of,
)
from consumers.stream.progress import Progress
from consumers.stream.stuck import StuckPartitions

Receipts: TypeAlias = "Sequence[asyncio.Future[Outcome] | asyncio.Future[None]]"
Handle: TypeAlias = Callable[[Sequence[StreamRecord]], Awaitable[Receipts]]
"""Accepts records, as fast as it can handle them, and returns one receipt each, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverPolicy:
    """The bounds of a driver."""

    ahead: int = 500
    """Records that may wait to be handled before fetching pauses."""
    ahead_bytes: int = 64 * 1024 * 1024
    """The same in bytes of their values."""
    commit_every: float = 0.1
    """Seconds between commits."""
    drain: float = 5.0
    """Seconds for records under way to end when their partitions are revoked."""
    stalled: float = 120.0
    """Seconds without progress, while records wait, that make the process unhealthy."""
    look_every: float = 1.0
    """Seconds between measurements of the lag."""
    retry_unreadable: float = 10.0
    """Seconds until a batch that cannot be read is fetched again."""
    tries: int = 3
    """How often a record is handed on that a bug hands back, before it is a dead letter."""
    limit: DeadLetterPolicy = field(default_factory=DeadLetterPolicy)
    backoff: Backoff = field(default_factory=Backoff)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverWorld:
    """What a driver needs of the process that it runs in."""

    publisher: Publisher
    dead_topic: str
    flow: Flow
    failed: Callable[[str, Exception], None]
    """Counts and logs a bug."""
    clock: Callable[[], float]
    """Seconds since 1970."""
    timer: Callable[[], float]
    """Seconds, monotonic."""
    excused: Callable[[], bool] = lambda: False
    """Whether a dependency is down, so that nothing can move."""


@dataclass(slots=True, kw_only=True, eq=False)
class Driver:
    """The records of one topic on their way through a handler."""

    topic: str
    handle: Handle
    world: DriverWorld
    policy: DriverPolicy = field(default_factory=DriverPolicy)
    released: Callable[[], None] = lambda: None
    """Called after revocation; drops the state of those partitions."""
    _offsets: Offsets = field(init=False, default_factory=Offsets)
    _progress: Progress = field(init=False)
    _stuck: StuckPartitions = field(init=False)
    _commits: Commits = field(init=False)
    _backlog: Backlog = field(init=False)
    _dead_letters: DeadLetterQueue = field(init=False)
    _source: TopicConsumer | None = field(init=False, default=None)
    _is_broken: bool = field(init=False, default=False)
    """Whether a bug has ended it."""

    def __post_init__(self) -> None:
        policy, world = self.policy, self.world
        self._progress = Progress(self._offsets)
        self._stuck = StuckPartitions(flow=world.flow, every=policy.retry_unreadable)
        self._commits = Commits(topic=self.topic, offsets=self._offsets, flow=world.flow, every=policy.commit_every)
        self._backlog = Backlog(records=policy.ahead, size=policy.ahead_bytes)
        self._dead_letters = DeadLetterQueue(
            topic=world.dead_topic,
            publisher=world.publisher,
            limit=DeadLetterLimit(policy.limit),
            backoff=policy.backoff,
            published=self._end_dead,
        )

    def attach(self, source: TopicConsumer) -> None:
        """Sets the consumer to read from."""
        self._source = source

    @property
    def halted(self) -> str | None:
        """Why the driver has stopped for good; `None` while it has not."""
        return self._dead_letters.limit.exceeded

    @property
    def waiting(self) -> int:
        """Records that were fetched and have not ended, or wait for one before them."""
        return self._offsets.waiting

    @property
    def stuck(self) -> Collection[UnreadableBatch]:
        """Batches that cannot be read, each of which holds back its partition."""
        return self._stuck.batches

    def receive(self, records: Sequence[StreamRecord | UnreadableBatch]) -> None:
        """Queues fetched records; never waits and never raises. Fetching pauses while too many wait."""
        for record in records:
            prefix = self._offsets.prefix(partition_of(record))
            # without a prefix it was fetched for an assignment that has ended: its next owner reads it
            if prefix is None:
                continue
            if isinstance(record, UnreadableBatch):
                self._hold(record)
            else:
                self._queue(record, prefix)
        self._set_pause()

    def _queue(self, record: StreamRecord, prefix: Prefix) -> None:
        partition = partition_of(record)
        self._stuck.remove([partition])
        if not prefix.waiting:
            self._progress.excuse(partition, self.world.timer())
        prefix.add(record.offset)
        self._backlog.put(Item(record, prefix))

    def _hold(self, batch: UnreadableBatch) -> None:
        self._stuck.add(batch, self.world.timer())
        if self._source is not None:
            self._source.hold(batch)

    def assigned(self, partitions: Collection[Partition]) -> None:
        """Called when these partitions are assigned to this consumer."""
        self._offsets.assign(partitions)
        self._progress.restart(self.world.timer())
        # a consumer fetches from new partitions, paused or not
        self._backlog.paused = False
        self._set_pause()
        self.world.flow.rebalanced(self.topic, len(self._offsets.assigned))

    async def revoked(self, partitions: Collection[Partition]) -> None:
        """Called before these partitions go to another consumer: commits what ends within a bounded time."""
        await self._finish(partitions, self.policy.drain)
        self._offsets.revoke(partitions)
        self._stuck.remove(partitions)
        self.released()

    async def drain(self, seconds: float) -> None:
        """Fetches no more, waits up to `seconds` for records under way, and commits what has ended."""
        self._backlog.close()
        self._set_pause()
        await self._finish(list(self._offsets.assigned), seconds)

    async def _finish(self, partitions: Collection[Partition], seconds: float) -> None:
        for item in self._backlog.drop(partitions):
            item.prefix.forget(item.record.offset)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._commits.wait_until_ended(partitions)
        await self._commits.commit(self._source)

    async def run(self) -> None:
        """Works until cancelled. A bug that ends it is logged and fails the health check."""
        steps = (self._feed, self._dead_letters.publish, self._commit, self._measure_lag)
        try:
            async with asyncio.TaskGroup() as tasks:
                for step in steps:
                    tasks.create_task(_for_ever(step))
        except Exception as error:
            self._is_broken = True
            self.world.failed(f"topic {self.topic}", error)

    def _set_pause(self) -> None:
        if self._source is None:
            return
        if self.halted is not None:
            self._backlog.close()
        if self._backlog.switch():
            (self._source.pause if self._backlog.paused else self._source.resume)()
            self.world.flow.paused(self.topic, self._backlog.paused)

    async def _feed(self) -> None:
        waiting = await self._backlog.next()
        self._set_pause()
        items = [item for item in waiting if self._is_assigned(item)]
        if self.halted is None and items:
            # one record that a bug cannot handle must not cost the others their turn
            for item, _ in await isolate_failures(self._hand_on, items, Exception):
                self._hand_on_again(item, DeferredReason.INTERNAL_ERROR)

    async def _hand_on(self, items: Sequence[Item]) -> None:
        try:
            receipts = await self.handle([item.record for item in items])
        except Unavailable:
            for item in items:
                self._hand_on_again(item, DeferredReason.STORE_UNAVAILABLE)
        except Exception as error:
            self.world.failed(f"topic {self.topic}", error)
            raise
        else:
            for item, receipt in zip(items, receipts, strict=True):
                receipt.add_done_callback(partial(self._follow, item))

    def _is_assigned(self, item: Item) -> bool:
        return self._offsets.prefix(item.partition) is item.prefix

    def _follow(self, item: Item, receipt: asyncio.Future[Outcome] | asyncio.Future[None]) -> None:
        if receipt.cancelled() or receipt.exception() is not None:
            # the engine stopped: the record stays uncommitted, and its next owner reads it again
            return
        outcome = receipt.result()
        if outcome is None:
            self._end(item)
        elif outcome.kind is OutcomeKind.DEAD_LETTERED:
            self._dead_letter(item, outcome)
        elif outcome.kind is OutcomeKind.DEFERRED and not outcome.kept:
            self._hand_on_again(item, outcome.reason)
        else:
            self._count(dead=False)
            self._end(item)

    def _hand_on_again(self, item: Item, reason: str) -> None:
        """Queues a record again after a pause; one that a bug keeps handing back is a dead letter in the end."""
        item.tries += 1
        # a dependency is down: nothing moves, and a restart would not bring it back
        self._progress.excuse(item.partition, self.world.timer())
        if reason == DeferredReason.INTERNAL_ERROR and item.tries >= self.policy.tries:
            detail = f"handed back {item.tries} times by a bug; the log names it"
            self._dead_letter(item, Outcome(kind=OutcomeKind.DEAD_LETTERED, reason=reason, detail=detail))
            return
        wait = self.policy.backoff.wait(item.tries)
        asyncio.get_running_loop().call_later(wait, self._backlog.put, item)

    def _dead_letter(self, item: Item, outcome: Outcome) -> None:
        """Queues a dead letter; while too many wait, as when their topic cannot be written, fetching pauses."""
        self._backlog.hold_dead([item])
        self._dead_letters.put(item, outcome)
        self._set_pause()

    def _end_dead(self, published: Sequence[tuple[Item, Outcome]]) -> None:
        """Ends the records whose dead letters are durable."""
        for item, outcome in published:
            self.world.flow.dead_lettered(self.topic, outcome.reason)
            self._count(dead=True)
            self._end(item)
        self._backlog.release_dead([item for item, _ in published])
        self._set_pause()

    def _count(self, *, dead: bool) -> None:
        read_on = self.halted is None
        self._dead_letters.limit.count(dead=dead)
        if read_on and self.halted is not None:
            self.world.flow.halted(self.topic, self.halted)

    def _end(self, item: Item) -> None:
        point = item.prefix.point
        item.prefix.end(item.record.offset)
        if item.prefix.point != point:
            self._progress.move(item.partition, self.world.timer())
        if item.record.timestamp > 0:
            self.world.flow.aged(self.topic, max(0.0, self.world.clock() - item.record.timestamp / 1000))
        self._commits.note_ended()

    async def _commit(self) -> None:
        await self._commits.commit_when_due(self._source)

    async def _measure_lag(self) -> None:
        """Reports how far each partition is behind, and excuses those that cannot move."""
        excused, known = self.world.excused(), True
        if self._source is not None:
            try:
                # a broker that answers late counts as down before its partitions seem to stand still
                async with asyncio.timeout(self.policy.stalled / 3):
                    self._progress.measure(dict(await self._source.lag()))
            except (Unavailable, TimeoutError):
                excused, known = True, False
        for partition in self._offsets.assigned:
            behind = self._progress.behind(partition)
            self.world.flow.lagged(partition, behind if known else None)
            # a restart would bring back neither a dependency nor a batch that cannot be read
            if excused or not behind or partition in self._stuck:
                self._progress.excuse(partition, self.world.timer())
            if known and not behind:
                self._stuck.remove([partition])
        self._release()
        await asyncio.sleep(self.policy.look_every)

    def _release(self) -> None:
        if self._source is not None:
            for partition in self._stuck.due(self.world.timer()):
                self._source.release(partition)

    def fault(self) -> str | None:
        """Why the process should be restarted; `None` while all is well."""
        if self.halted is not None:
            return f"reading of {self.topic} has stopped: {self.halted}"
        if self._is_broken:
            return f"reading of {self.topic} has stopped by a bug; the log names it"
        stall = self._progress.stall(self.world.timer(), self.policy.stalled)
        if stall is None:
            return None
        where = f"partition {stall.partition.number} of {self.topic}"
        return f"{where} has stood still for {stall.seconds:.0f} seconds while {stall.waiting} wait"


async def _for_ever(step: Callable[[], Coroutine[None, None, None]]) -> None:
    while True:
        await step()
