"""Which offsets may be committed: of each partition, the prefix in which every record has ended durably."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from consumers.stream.ports import Partition


@dataclass(slots=True)
class Prefix:
    """The records of one partition while it is assigned. Offsets rise, with gaps from compaction and transactions.

    >>> prefix = Prefix()
    >>> for offset in (4, 5, 9):
    ...     prefix.add(offset)
    >>> prefix.end(5); prefix.point is None
    True
    >>> prefix.end(4); prefix.point
    6
    """

    point: int | None = None
    """The offset to commit: of the first record that has not ended. `None` until the first record has ended."""
    committed: int | None = None
    waiting: deque[int] = field(default_factory=deque[int])
    """Rising offsets that are not part of the prefix yet."""
    _ended: set[int] = field(default_factory=set[int])

    def add(self, offset: int) -> None:
        """Adds a record that was fetched."""
        self.waiting.append(offset)

    def end(self, offset: int) -> None:
        """Marks a record as ended durably."""
        self._ended.add(offset)
        while self.waiting and self.waiting[0] in self._ended:
            self._ended.discard(self.waiting[0])
            self.point = self.waiting.popleft() + 1

    def forget(self, offset: int) -> None:
        """Removes this record and all after it: their next owner reads them."""
        while self.waiting and self.waiting[-1] >= offset:
            self._ended.discard(self.waiting.pop())


@dataclass(slots=True)
class Offsets:
    """The prefixes of one consumer's partitions. A decider: it commits nothing itself."""

    _prefixes: dict[Partition, Prefix] = field(default_factory=dict[Partition, Prefix])

    @property
    def assigned(self) -> Collection[Partition]:
        """The partitions that are assigned to this consumer."""
        return self._prefixes.keys()

    @property
    def waiting(self) -> int:
        """Records that were fetched and are not part of a prefix yet."""
        return sum(len(prefix.waiting) for prefix in self._prefixes.values())

    def assign(self, partitions: Iterable[Partition]) -> None:
        """Adds these partitions with empty prefixes."""
        self._prefixes.update({each: Prefix() for each in partitions})

    def revoke(self, partitions: Iterable[Partition]) -> None:
        """Removes these partitions; records of theirs that end later are not committed."""
        for each in partitions:
            self._prefixes.pop(each, None)

    def prefix(self, partition: Partition) -> Prefix | None:
        """The prefix of a partition; `None` where it is not assigned."""
        return self._prefixes.get(partition)

    def have_ended(self, partitions: Iterable[Partition]) -> bool:
        """Whether every record fetched from these has ended."""
        return not any(self._prefixes[each].waiting for each in partitions if each in self._prefixes)

    def due(self) -> dict[Partition, int]:
        """The offsets to commit: of partitions whose prefix grew since the last commit."""
        return {
            partition: prefix.point
            for partition, prefix in self._prefixes.items()
            if prefix.point is not None and prefix.point != prefix.committed
        }

    def committed(self, points: Mapping[Partition, int]) -> None:
        """Marks these offsets as committed."""
        for partition, point in points.items():
            prefix = self._prefixes.get(partition)
            if prefix is not None:
                prefix.committed = point
