"""Records that were fetched and wait, and whether so many wait that fetching pauses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from consumers.queueing.groups import Groups
from consumers.stream.offsets import Prefix
from consumers.stream.ports import Partition, StreamRecord, partition_of


@dataclass(slots=True, eq=False)
class Item:
    """A record, and the prefix of the assignment under which it was read."""

    record: StreamRecord
    prefix: Prefix
    tries: int = 0
    """How often it was handed back."""

    @property
    def partition(self) -> Partition:
        """Where it was read."""
        return partition_of(self.record)

    @property
    def size(self) -> int:
        """Bytes of its value."""
        return len(self.record.value or b"")


class Backlog:
    """Records that wait to be handled, within bounds of number and bytes. Waiting dead letters fill the same room."""

    def __init__(self, *, records: int, size: int) -> None:
        self._records, self._size = records, size
        self._queue = Groups[Item](size=records)
        self._dead = 0
        self._bytes = 0
        self._closed = False
        self.paused = False
        """Whether fetching is paused now."""

    def put(self, item: Item) -> None:
        """Adds a record that waits to be handled."""
        self._bytes += item.size
        self._queue.put(item)

    async def next(self) -> list[Item]:
        """Waits for records and removes them."""
        items = await self._queue.next()
        self._bytes -= _size(items)
        return items

    def drop(self, partitions: Collection[Partition]) -> list[Item]:
        """Removes and returns the waiting records of these partitions."""
        dropped = self._queue.drop(lambda item: item.partition in partitions)
        self._bytes -= _size(dropped)
        return dropped

    def hold_dead(self, items: Sequence[Item]) -> None:
        """Counts records that wait to be dead letters."""
        self._dead += len(items)
        self._bytes += _size(items)

    def release_dead(self, items: Sequence[Item]) -> None:
        """Counts records whose dead letters are published."""
        self._dead -= len(items)
        self._bytes -= _size(items)

    def close(self) -> None:
        """Pauses fetching for good."""
        self._closed = True

    def switch(self) -> bool:
        """Pauses or resumes where that is due; whether it changed. Resumes below half of what pauses."""
        filled = max((len(self._queue) + self._dead) / self._records, self._bytes / self._size)
        due = self._closed or filled >= (0.5 if self.paused else 1.0)
        changed = due != self.paused
        self.paused = due
        return changed


def _size(items: Sequence[Item]) -> int:
    return sum(item.size for item in items)
