"""One in-memory class for each port of the stream; tests read their fields."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from consumers.errors import Unavailable
from consumers.stream.ports import Message, NotAssigned, Partition, UnreadableBatch, partition_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """A `StreamRecord`."""

    topic: str = "query-events"
    partition: int = 0
    offset: int
    timestamp: int = -1
    key: bytes | None = None
    value: bytes | None = b"{}"
    headers: Sequence[tuple[str, bytes]] = ()


@dataclass(slots=True)
class MemorySource:
    """A `Source` that remembers what was committed."""

    committed: dict[Partition, int] = field(default_factory=dict[Partition, int])
    paused: bool = False
    behind: dict[Partition, int] = field(default_factory=dict[Partition, int])
    failures: int = 0
    """Commits that will fail."""
    lost: bool = False
    """Whether its partitions are now another member's."""
    looks: int = 0
    """How often its lag was read."""
    away: bool = False
    """Whether the broker fails to answer."""
    silent: bool = False
    """Whether the broker leaves every question open."""
    held: set[Partition] = field(default_factory=set[Partition])

    def pause(self) -> None:
        """Fetches no more."""
        self.paused = True

    def resume(self) -> None:
        """Fetches again."""
        self.paused = False

    def hold(self, batch: UnreadableBatch) -> None:
        """Keeps that it is held."""
        self.held.add(partition_of(batch))

    def release(self, partition: Partition) -> None:
        """Keeps that it is not held any more."""
        self.held.discard(partition)

    async def commit(self, points: Mapping[Partition, int]) -> None:
        """Keeps the offsets."""
        if self.lost:
            raise NotAssigned("another member has it")
        if self.failures:
            self.failures -= 1
            raise Unavailable("no answer")
        self.committed.update(points)

    async def lag(self) -> Mapping[Partition, int]:
        """The lag that the test has set."""
        self.looks += 1
        if self.silent:
            await asyncio.Event().wait()
        if self.away:
            raise Unavailable("no answer")
        return self.behind


@dataclass(slots=True)
class MemoryPublisher:
    """A `Publisher` that keeps its messages."""

    messages: list[Message] = field(default_factory=list[Message])
    failures: int = 0
    """Publications that will fail."""
    largest: int = 1_000_000
    """Bytes of the largest value it accepts."""
    calls: int = 0

    async def publish(self, messages: Sequence[Message]) -> Collection[int]:
        """Keeps those that are not too large."""
        self.calls += 1
        if self.failures:
            self.failures -= 1
            raise Unavailable("no answer")
        large = [place for place, each in enumerate(messages) if len(each.value or b"") > self.largest]
        self.messages += [each for place, each in enumerate(messages) if place not in large]
        return large


@dataclass(slots=True)
class MemoryFlow:
    """A `Flow` that keeps every call's arguments."""

    commits: Counter[str] = field(default_factory=Counter[str])
    dead: Counter[str] = field(default_factory=Counter[str])
    halts: list[str] = field(default_factory=list[str])
    pauses: list[bool] = field(default_factory=list[bool])
    ages: list[float] = field(default_factory=list[float])
    lags: dict[Partition, int] = field(default_factory=dict[Partition, int])
    assigned: int = 0
    stuck_partitions: set[Partition] = field(default_factory=set[Partition])

    def committed(self, topic: str, result: str) -> None:
        """Counts a commit."""
        self.commits[result] += 1

    def rebalanced(self, topic: str, partitions: int) -> None:
        """Keeps how many partitions there are."""
        self.assigned = partitions

    def lagged(self, partition: Partition, records: int | None) -> None:
        """Keeps a lag."""
        if records is None:
            self.lags.pop(partition, None)
        else:
            self.lags[partition] = records

    def stuck(self, partition: Partition, now: bool) -> None:
        """Keeps the stuck partitions."""
        (self.stuck_partitions.add if now else self.stuck_partitions.discard)(partition)

    def aged(self, topic: str, seconds: float) -> None:
        """Keeps an age."""
        self.ages.append(seconds)

    def paused(self, topic: str, now: bool) -> None:
        """Keeps a pause."""
        self.pauses.append(now)

    def dead_lettered(self, topic: str, reason: str) -> None:
        """Counts a dead letter."""
        self.dead[reason] += 1

    def halted(self, topic: str, why: str) -> None:
        """Keeps why reading has stopped."""
        self.halts.append(f"{topic}: {why}")
