"""Drives one topic: hands records on, follows each to its end, buries the dead and commits only what has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind
from consumers.queueing.groups import Groups
from consumers.queueing.retrying import Backoff
from consumers.stream.dead_letters import KEPT_BYTES, DeadLetterLimit, DeadLetterPolicy, dead_letter
from consumers.stream.offsets import Offsets, Prefix
from consumers.stream.ports import Flow, Message, NotAssigned, Partition, Publisher, Source, StreamRecord, partition_of

Receipts: TypeAlias = "Sequence[asyncio.Future[Outcome] | asyncio.Future[None]]"
Handle: TypeAlias = Callable[[Sequence[StreamRecord]], Awaitable[Receipts]]
"""Takes records, back-pressured, and gives one receipt each, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverPolicy:
    """How far the driver goes."""

    ahead: int = 500
    """Records that may wait to be handed on before fetching pauses."""
    ahead_bytes: int = 64 * 1024 * 1024
    """The same in bytes of their values."""
    commit_every: float = 0.1
    """Seconds between commits."""
    drain: float = 5.0
    """Seconds that what is under way gets to end when partitions are taken away."""
    stalled: float = 120.0
    """Seconds without progress, while records wait, that make the process unhealthy."""
    look_every: float = 1.0
    """Seconds between looks at the lag."""
    tries: int = 3
    """How often a record is handed on that a bug hands back, before it is a dead letter."""
    limit: DeadLetterPolicy = field(default_factory=DeadLetterPolicy)
    backoff: Backoff = field(default_factory=Backoff)


@dataclass(slots=True, eq=False)
class _Item:
    """A record and the bookkeeping of the assignment it was read under."""

    record: StreamRecord
    prefix: Prefix
    tries: int = 0


@dataclass(slots=True, kw_only=True, eq=False)
class Driver:
    """One topic's records on their way through `handle`."""

    topic: str
    dead_topic: str
    handle: Handle
    publisher: Publisher
    flow: Flow
    failed: Callable[[str, Exception], None]
    """Counts and logs a bug."""
    clock: Callable[[], float]
    """Seconds since 1970."""
    timer: Callable[[], float]
    """Seconds, monotonic."""
    policy: DriverPolicy = field(default_factory=DriverPolicy)
    excused: Callable[[], bool] = lambda: False
    """Whether a dependency is down, so that nothing can move."""
    released: Callable[[], None] = lambda: None
    """Told when partitions are taken away, after what was under way got its time: what is held of them is another's."""
    _source: Source | None = None
    _offsets: Offsets = field(default_factory=Offsets)
    _limit: DeadLetterLimit = field(init=False)
    _queue: Groups[_Item] = field(init=False)
    _dying: Groups[tuple[_Item, Outcome]] = field(init=False)
    _dirty: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _committing: asyncio.Lock = field(default_factory=asyncio.Lock)
    _paused: bool = False
    _stopping: bool = False
    _held: int = 0
    """Bytes of the values that wait to be handed on, or to be dead letters."""
    _lag: dict[Partition, int] = field(default_factory=dict[Partition, int])
    """Records published and not fetched, when last looked."""
    _broken: bool = False
    """A bug has ended it."""
    _moved: dict[Partition, float] = field(default_factory=dict[Partition, float])
    """When a partition's next record last ended, or had no reason to."""
    _any_moved: float = float("-inf")
    """When that of any partition last ended."""

    def __post_init__(self) -> None:
        self._limit = DeadLetterLimit(self.policy.limit)
        self._queue = Groups(size=self.policy.ahead)
        self._dying = Groups(size=100, linger=0.01)

    def attach(self, source: Source) -> None:
        """Reads from this consumer."""
        self._source = source

    @property
    def halted(self) -> str | None:
        """Why the driver has stopped for good, if it has."""
        return self._limit.exceeded

    def take(self, records: Sequence[StreamRecord]) -> None:
        """Takes what was fetched; never waits and never raises. Fetching pauses while too much waits."""
        for record in records:
            prefix = self._offsets.prefix(partition_of(record))
            # without one, the record was fetched for an assignment that ended meanwhile: its next owner reads it
            if prefix is not None:
                if not prefix.waiting:
                    self._moved[partition_of(record)] = self.timer()
                prefix.take(record.offset)
                self._put(_Item(record, prefix))
        self._set_pause()

    def _put(self, item: _Item) -> None:
        self._held += len(item.record.value or b"")
        self._queue.put(item)

    def _give(self, items: Sequence[_Item]) -> None:
        self._held -= sum(len(item.record.value or b"") for item in items)

    def assigned(self, partitions: Collection[Partition]) -> None:
        """These partitions are ours from now on."""
        self._offsets.assign(partitions)
        self._lag.clear()
        self._moved = dict.fromkeys(self._offsets.assigned, self.timer())
        self._paused = False
        self._set_pause()
        self.flow.rebalanced(self.topic, len(self._offsets.assigned))

    async def revoked(self, partitions: Collection[Partition]) -> None:
        """These go to another member: what is under way may end for a bounded time, and what ended is committed."""
        await self._settle(partitions, self.policy.drain)
        self._offsets.revoke(partitions)
        self.released()

    async def drain(self, seconds: float) -> None:
        """Fetches no more, lets what is under way end for so long, and commits what ended."""
        self._stopping = True
        self._set_pause()
        await self._settle(list(self._offsets.assigned), seconds)

    async def _settle(self, partitions: Collection[Partition], seconds: float) -> None:
        dropped = self._queue.drop(lambda item: partition_of(item.record) in partitions)
        self._give(dropped)
        for item in dropped:
            item.prefix.forget(item.record.offset)
        try:
            async with asyncio.timeout(seconds):
                while not self._offsets.settled(partitions):
                    self._ended.clear()
                    await self._ended.wait()
        except TimeoutError:
            pass
        await self._commit()

    async def run(self) -> None:
        """Works until cancelled; a bug that ends it is told of, and is a fault from then on."""
        try:
            async with asyncio.TaskGroup() as tasks:
                for step in (self._feed, self._bury, self._commit_soon, self._look):
                    tasks.create_task(self._for_ever(step))
        except Exception as error:
            self._broken = True
            self.failed(f"topic {self.topic}", error)

    async def _for_ever(self, step: Callable[[], Coroutine[None, None, None]]) -> None:
        while True:
            await step()

    def _set_pause(self) -> None:
        """Pauses or resumes, where what should be is not what is."""
        source, held = self._source, self._stopping or self.halted is not None
        if source is None:
            return
        waiting = len(self._queue) + len(self._dying)
        filled = max(waiting / self.policy.ahead, self._held / self.policy.ahead_bytes)
        if not self._paused and (held or filled >= 1):
            source.pause()
        elif self._paused and not held and filled < 0.5:
            source.resume()
        else:
            return
        self._paused = not self._paused
        self.flow.paused(self.topic, self._paused)

    async def _feed(self) -> None:
        taken = await self._queue.next()
        self._give(taken)
        self._set_pause()
        items = [item for item in taken if self._is_ours(item)]
        if self.halted is None and items:
            await self._hand_on(items)

    async def _hand_on(self, items: Sequence[_Item]) -> None:
        """Hands records on; one that a bug cannot take must not cost the others their turn."""
        try:
            receipts = await self.handle([item.record for item in items])
        except Unavailable:
            for item in items:
                self._again(item, DeferredReason.STORE_UNAVAILABLE)
        except Exception as error:
            self.failed(f"topic {self.topic}", error)
            if len(items) == 1:
                self._again(items[0], DeferredReason.INTERNAL_ERROR)
            else:
                await self._hand_on(items[: len(items) // 2])
                await self._hand_on(items[len(items) // 2 :])
        else:
            for item, receipt in zip(items, receipts, strict=True):
                receipt.add_done_callback(partial(self._resolved, item))

    def _is_ours(self, item: _Item) -> bool:
        return self._offsets.prefix(partition_of(item.record)) is item.prefix

    def _resolved(self, item: _Item, receipt: asyncio.Future[Outcome] | asyncio.Future[None]) -> None:
        if receipt.cancelled() or receipt.exception() is not None:
            # the engine stopped: the record stays uncommitted, and whoever reads on reads it again
            return
        outcome = receipt.result()
        if outcome is None:
            self._end(item)
        elif outcome.kind is OutcomeKind.DEAD_LETTERED:
            self._condemn(item, outcome)
        elif outcome.kind is OutcomeKind.DEFERRED and not outcome.kept:
            self._again(item, outcome.reason)
        else:
            self._limit.saw(False)
            self._end(item)

    def _again(self, item: _Item, reason: str) -> None:
        """Hands a record on once more; one that a bug keeps handing back is a dead letter in the end."""
        item.tries += 1
        # a dependency is down: nothing moves, and a restart would not raise it
        self._moved[partition_of(item.record)] = self.timer()
        if reason == DeferredReason.INTERNAL_ERROR and item.tries >= self.policy.tries:
            detail = f"handed back {item.tries} times by a bug; the log names it"
            self._condemn(item, Outcome(kind=OutcomeKind.DEAD_LETTERED, reason=reason, detail=detail))
            return
        wait = self.policy.backoff.wait(item.tries)
        asyncio.get_running_loop().call_later(wait, self._put, item)

    def _condemn(self, item: _Item, outcome: Outcome) -> None:
        """It waits to be a dead letter; while too many do, as when their topic cannot be written, fetching pauses."""
        self._held += len(item.record.value or b"")
        self._dying.put((item, outcome))
        self._set_pause()

    async def _bury(self) -> None:
        group = await self._dying.next()
        left = group
        for most in KEPT_BYTES:
            refused = await self._publish([self._letter(item, outcome, most) for item, outcome in left])
            left = [left[place] for place in sorted(refused)]
            if not left:
                break
        else:
            # no smaller letter can be written: those it is about are not let go of
            await asyncio.sleep(self.policy.backoff.most)
            self._dying.put(*left)
            group = [each for each in group if each not in left]
        for item, outcome in group:
            self.flow.dead_lettered(self.topic, outcome.reason)
            self._limit.saw(True)
            self._end(item)
        self._give([item for item, _ in group])
        self._set_pause()

    def _letter(self, item: _Item, outcome: Outcome, most: int) -> Message:
        return dead_letter(item.record, self.dead_topic, reason=outcome.reason, detail=outcome.detail, most=most)

    async def _publish(self, messages: Sequence[Message]) -> Collection[int]:
        failures = 0
        while True:
            try:
                return await self.publisher.publish(messages)
            except Unavailable:
                failures += 1
            await asyncio.sleep(self.policy.backoff.wait(failures))

    def _end(self, item: _Item) -> None:
        point = item.prefix.point
        item.prefix.done(item.record.offset)
        if item.prefix.point != point:
            self._any_moved = self._moved[partition_of(item.record)] = self.timer()
        if item.record.timestamp > 0:
            self.flow.aged(self.topic, max(0.0, self.clock() - item.record.timestamp / 1000))
        self._dirty.set()
        self._ended.set()

    async def _commit_soon(self) -> None:
        await self._dirty.wait()
        self._dirty.clear()
        if not await self._commit():
            self._dirty.set()
        await asyncio.sleep(self.policy.commit_every)

    async def _commit(self) -> bool:
        """Whether everything that has ended is committed."""
        async with self._committing:
            points = self._offsets.due()
            if not points or self._source is None:
                return True
            try:
                await self._source.commit(points)
            except NotAssigned:
                self.flow.committed(self.topic, "not_assigned")
                return False
            except Unavailable:
                self.flow.committed(self.topic, "failed")
                return False
            self._offsets.committed(points)
            self.flow.committed(self.topic, "done")
            return True

    async def _look(self) -> None:
        """Tells the lag, and excuses what cannot move."""
        excused = self.excused()
        if self._source is not None:
            try:
                self._lag = dict(await self._source.lag())
            except Unavailable:
                excused = True
        for partition in self._offsets.assigned:
            behind = self._behind(partition)
            self.flow.lagged(partition, behind)
            # while a dependency is down nothing moves, and a restart would not raise it
            if excused or not behind:
                self._moved[partition] = self.timer()
        await asyncio.sleep(self.policy.look_every)

    def _behind(self, partition: Partition) -> int:
        """Records of a partition that have not ended."""
        prefix = self._offsets.prefix(partition)
        return self._lag.get(partition, 0) + (len(prefix.waiting) if prefix is not None else 0)

    def fault(self) -> str | None:
        """Why a new process would do better than this one; `None` while all is well."""
        if self.halted is not None:
            return f"reading of {self.topic} has stopped: {self.halted}"
        if self._broken:
            return f"reading of {self.topic} has stopped by a bug; the log names it"
        for partition in self._offsets.assigned:
            behind, still = self._behind(partition), self.timer() - self._last_moved(partition)
            if behind and still >= self.policy.stalled:
                where = f"partition {partition.number} of {self.topic}"
                return f"{where} has stood still for {still:.0f} seconds while {behind} wait"
        return None

    def _last_moved(self, partition: Partition) -> float:
        prefix, moved = self._offsets.prefix(partition), self._moved[partition]
        taken = prefix is not None and prefix.waiting
        # one of which nothing is fetched may have to wait for the others
        return moved if taken else max(moved, self._any_moved)
