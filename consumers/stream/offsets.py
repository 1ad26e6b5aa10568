"""Which offsets may be committed: of each partition, only the prefix in which every record has ended durably."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from consumers.stream.ports import Partition


@dataclass(slots=True)
class Prefix:
    """One partition while it is assigned. Offsets rise, with holes: compaction and transactions leave them.

    >>> prefix = Prefix()
    >>> for offset in (4, 5, 9):
    ...     prefix.take(offset)
    >>> prefix.done(5); prefix.point is None
    True
    >>> prefix.done(4); prefix.point
    6
    """

    point: int | None = None
    """The next offset to read by whoever reads on; `None` until something has ended."""
    committed: int | None = None
    waiting: deque[int] = field(default_factory=deque[int])
    """Taken and not yet part of the prefix, rising."""
    _ended: set[int] = field(default_factory=set[int])

    def take(self, offset: int) -> None:
        """A record was taken."""
        self.waiting.append(offset)

    def done(self, offset: int) -> None:
        """A record ended durably."""
        self._ended.add(offset)
        while self.waiting and self.waiting[0] in self._ended:
            self._ended.discard(self.waiting[0])
            self.point = self.waiting.popleft() + 1

    def forget(self, offset: int) -> None:
        """The record and all after it were never begun: someone else reads them."""
        while self.waiting and self.waiting[-1] >= offset:
            self._ended.discard(self.waiting.pop())


@dataclass(slots=True)
class Offsets:
    """All partitions of one consumer. A decider: it commits nothing itself."""

    _prefixes: dict[Partition, Prefix] = field(default_factory=dict[Partition, Prefix])

    @property
    def assigned(self) -> Collection[Partition]:
        """The partitions that are ours."""
        return self._prefixes.keys()

    @property
    def waiting(self) -> int:
        """Records taken that have not ended, or wait for one before them."""
        return sum(len(prefix.waiting) for prefix in self._prefixes.values())

    def assign(self, partitions: Iterable[Partition]) -> None:
        """These are ours, from their committed offsets on; what was known of them before is void."""
        self._prefixes.update({each: Prefix() for each in partitions})

    def revoke(self, partitions: Iterable[Partition]) -> None:
        """These are ours no longer; what is still under way may end, and counts for nothing."""
        for each in partitions:
            self._prefixes.pop(each, None)

    def prefix(self, partition: Partition) -> Prefix | None:
        """The bookkeeping of a partition that is ours."""
        return self._prefixes.get(partition)

    def settled(self, partitions: Iterable[Partition]) -> bool:
        """Whether everything taken of these has ended."""
        return not any(self._prefixes[each].waiting for each in partitions if each in self._prefixes)

    def due(self) -> dict[Partition, int]:
        """The offsets to commit: those of partitions whose prefix grew since the last commit."""
        return {
            partition: prefix.point
            for partition, prefix in self._prefixes.items()
            if prefix.point is not None and prefix.point != prefix.committed
        }

    def committed(self, points: Mapping[Partition, int]) -> None:
        """These were committed."""
        for partition, point in points.items():
            prefix = self._prefixes.get(partition)
            if prefix is not None:
                prefix.committed = point
