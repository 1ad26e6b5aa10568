"""Room in memory and who may fill it: deciders that read no clock and wait for nobody."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(slots=True, kw_only=True)
class Room:
    """How many records, and how many bytes of them, are in flight.

    >>> room = Room(most=2, most_bytes=10)
    >>> room.fits(99), room.take(99), room.fits(1)
    (True, None, False)
    """

    most: int
    most_bytes: int
    held: int = 0
    held_bytes: int = 0

    def fits(self, size: int) -> bool:
        """Whether a record of `size` bytes may come in; one alone always may, however large."""
        return self.held == 0 or (self.held < self.most and self.held_bytes + size <= self.most_bytes)

    def take(self, size: int) -> None:
        """It came in."""
        self.held += 1
        self.held_bytes += size

    def give_back(self, size: int) -> None:
        """It ended."""
        self.held -= 1
        self.held_bytes -= size


@dataclass(slots=True, kw_only=True)
class Shares:
    """Which tenant's waiting events must let others pass.

    While one tenant alone is active it may fill all places, and those who send are held back. As soon as there are
    others, a tenant that holds more than its share of a crowded room is over it.
    """

    places: int
    """Events that may wait for a model at once."""
    crowded: float = 0.5
    """Share of the places from which the room counts as crowded, in [0, 1]."""
    memory: float = 300.0
    """Seconds for which a tenant counts as active after its last event."""
    _seen: OrderedDict[str, float] = field(default_factory=OrderedDict[str, float])
    _held: Counter[str] = field(default_factory=Counter[str])
    _all: int = 0

    def saw(self, tenant: str, now: float) -> None:
        """An event of the tenant came in."""
        self._seen[tenant] = now
        self._seen.move_to_end(tenant)
        while self._seen and next(iter(self._seen.values())) < now - self.memory:
            self._seen.popitem(last=False)

    def take(self, tenant: str) -> None:
        """One of its events waits for a model."""
        self._held[tenant] += 1
        self._all += 1

    def give_back(self, tenant: str) -> None:
        """It waits no longer."""
        self._held[tenant] -= 1
        self._all -= 1
        if not self._held[tenant]:
            del self._held[tenant]

    def over(self, tenant: str) -> bool:
        """Whether one more waiting event of the tenant would be over its share.

        >>> shares = Shares(places=4)
        >>> for name in ("atlas", "atlas", "comet"):
        ...     shares.saw(name, 0.0)
        >>> shares.take("atlas"); shares.take("atlas")
        >>> shares.over("atlas"), shares.over("comet")
        (True, False)
        """
        share = self._share()
        return share is not None and self._held[tenant] >= share

    def exceeds(self, tenant: str) -> bool:
        """Whether those of the tenant's events that wait are more than its share, as when another has come since."""
        share = self._share()
        return share is not None and self._held[tenant] > share

    def _share(self) -> int | None:
        """Of one tenant; `None` while all may wait."""
        active = len(self._seen)
        if active < 2 or self._all < self.crowded * self.places:
            return None
        return max(1, self.places // active)


class Turns(Generic[Item]):
    """A line for each tenant, served in turn.

    >>> turns = Turns[int]()
    >>> for tenant, item in (("a", 1), ("a", 2), ("a", 3), ("b", 4)):
    ...     turns.put(tenant, item)
    >>> turns.take(3), len(turns)
    ([1, 4, 2], 1)
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[Item]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, tenant: str, item: Item) -> None:
        """Adds to the end of the tenant's line."""
        self._lines.setdefault(tenant, deque()).append(item)
        self._count += 1

    def take(self, most: int) -> list[Item]:
        """Up to `most` items, one of each line in turn."""
        taken: list[Item] = []
        while self._lines and len(taken) < most:
            tenant, line = self._lines.popitem(last=False)
            taken.append(line.popleft())
            if line:
                self._lines[tenant] = line
        self._count -= len(taken)
        return taken
