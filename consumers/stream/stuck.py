"""Partitions that stand before a batch that cannot be read. A decider: it reads no clock and no broker."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from consumers.stream.ports import Flow, Partition, UnreadableBatch, partition_of


@dataclass(slots=True, kw_only=True)
class StuckPartitions:
    """The stuck partitions of one consumer. Every `now` is in seconds of one monotonic clock."""

    flow: Flow
    every: float
    """Seconds until such a batch is fetched again: the network may have spoilt it, or another replica may lead then."""
    _batches: dict[Partition, UnreadableBatch] = field(default_factory=dict[Partition, UnreadableBatch])
    _due: dict[Partition, float] = field(default_factory=dict[Partition, float])

    def __contains__(self, partition: Partition) -> bool:
        """Whether a partition is stuck."""
        return partition in self._batches

    @property
    def batches(self) -> Collection[UnreadableBatch]:
        """What each of them stands before."""
        return self._batches.values()

    def add(self, batch: UnreadableBatch, now: float) -> None:
        """A batch could not be read."""
        partition = partition_of(batch)
        self._batches[partition], self._due[partition] = batch, now + self.every
        self.flow.stuck(partition, True)

    def due(self, now: float) -> list[Partition]:
        """Partitions to fetch from again. Each is named once: what is fetched then adds or removes it."""
        due = [each for each, moment in self._due.items() if moment <= now]
        for each in due:
            del self._due[each]
        return due

    def remove(self, partitions: Collection[Partition]) -> None:
        """These partitions are not stuck any more, or are another consumer's."""
        for each in partitions:
            if self._batches.pop(each, None) is not None:
                self._due.pop(each, None)
                self.flow.stuck(each, False)
