"""Since when each partition has stood still. A decider: it reads no clock and no broker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from consumers.stream.offsets import Offsets
from consumers.stream.ports import Partition


class Stall(NamedTuple):
    """A partition that stands still while records wait."""

    partition: Partition
    seconds: float
    waiting: int


@dataclass(slots=True)
class Progress:
    """The progress of one consumer's partitions. Every `now` is in seconds of one monotonic clock."""

    offsets: Offsets
    _lag: Mapping[Partition, int] = field(default_factory=dict[Partition, int])
    """Records published and not fetched, when last measured."""
    _moved: dict[Partition, float] = field(default_factory=dict[Partition, float])
    """When a partition's oldest waiting record last changed, or could not have."""
    _any_moved: float = float("-inf")

    def restart(self, now: float) -> None:
        """Partitions were assigned: all count as moving now."""
        self._lag = {}
        self._moved = dict.fromkeys(self.offsets.assigned, now)

    def measure(self, lag: Mapping[Partition, int]) -> None:
        """Sets how many records of each partition are published and not fetched."""
        self._lag = lag

    def excuse(self, partition: Partition, now: float) -> None:
        """The partition could not move until now: nothing waited, or a dependency was down."""
        self._moved[partition] = now

    def move(self, partition: Partition, now: float) -> None:
        """The partition's oldest waiting record has ended."""
        self._any_moved = self._moved[partition] = now

    def behind(self, partition: Partition) -> int:
        """How many published records of a partition have not ended."""
        return self._lag.get(partition, 0) + self._fetched(partition)

    def stall(self, now: float, limit: float) -> Stall | None:
        """A partition that has stood still for `limit` seconds while records wait."""
        for partition in self.offsets.assigned:
            behind, seconds = self.behind(partition), now - self._last_move(partition)
            if behind and seconds >= limit:
                return Stall(partition, seconds, behind)
        return None

    def _last_move(self, partition: Partition) -> float:
        moved = self._moved[partition]
        # a partition of which nothing is fetched may have to wait for the others
        return moved if self._fetched(partition) else max(moved, self._any_moved)

    def _fetched(self, partition: Partition) -> int:
        prefix = self.offsets.prefix(partition)
        return len(prefix.waiting) if prefix is not None else 0
