"""Who may fill the room in memory: deciders that read no clock and wait for nothing."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(slots=True, kw_only=True)
class Room:
    """How many records, and how many of their bytes, are in flight.

    >>> room = Room(most=2, most_bytes=10)
    >>> room.fits(99), room.admit(99), room.fits(1)
    (True, None, False)
    """

    most: int
    most_bytes: int
    held: int = 0
    held_bytes: int = 0

    def fits(self, size: int) -> bool:
        """Whether a record of `size` bytes may come in; into an empty room any record may, however large."""
        return self.held == 0 or (self.held < self.most and self.held_bytes + size <= self.most_bytes)

    def admit(self, size: int) -> None:
        """Counts a record that came in."""
        self.held += 1
        self.held_bytes += size

    def release(self, size: int) -> None:
        """Counts a record that left."""
        self.held -= 1
        self.held_bytes -= size


@dataclass(slots=True, kw_only=True)
class Shares:
    """Which tenants are throttled: their events must let those of other tenants pass.

    A tenant that is active alone may fill all places. Once others are active, a tenant that holds its share of a
    crowded room is throttled.
    """

    places: int
    """Events that may wait for a model at once."""
    crowded: float = 0.5
    """Share of the places from which the room counts as crowded, in [0, 1]."""
    memory: float = 300.0
    """Seconds for which a tenant counts as active after its last event."""
    _active: OrderedDict[str, float] = field(default_factory=OrderedDict[str, float])
    _held: Counter[str] = field(default_factory=Counter[str])
    _all: int = 0

    def note_active(self, tenant: str, now: float) -> None:
        """An event of the tenant came in."""
        self._active[tenant] = now
        self._active.move_to_end(tenant)
        while self._active and next(iter(self._active.values())) < now - self.memory:
            self._active.popitem(last=False)

    def occupy(self, tenant: str) -> None:
        """Gives one of the tenant's events a place."""
        self._held[tenant] += 1
        self._all += 1

    def vacate(self, tenant: str) -> None:
        """Frees the place of one of the tenant's events."""
        self._held[tenant] -= 1
        self._all -= 1
        if not self._held[tenant]:
            del self._held[tenant]

    def throttles(self, tenant: str) -> bool:
        """Whether one more event of the tenant would exceed its share.

        >>> shares = Shares(places=4)
        >>> for name in ("atlas", "atlas", "comet"):
        ...     shares.note_active(name, 0.0)
        >>> shares.occupy("atlas"); shares.occupy("atlas")
        >>> shares.throttles("atlas"), shares.throttles("comet")
        (True, False)
        """
        share = self._share()
        return share is not None and self._held[tenant] >= share

    def is_exceeded_by(self, tenant: str) -> bool:
        """Whether the tenant already holds more than its share: another tenant came after it filled the room."""
        share = self._share()
        return share is not None and self._held[tenant] > share

    def _share(self) -> int | None:
        """Places of one tenant; `None` while nobody is throttled."""
        active = len(self._active)
        if active < 2 or self._all < self.crowded * self.places:
            return None
        return max(1, self.places // active)


class Turns(Generic[Item]):
    """A line for each tenant, served in turn.

    >>> turns = Turns[int]()
    >>> for tenant, item in (("a", 1), ("a", 2), ("a", 3), ("b", 4)):
    ...     turns.put(tenant, item)
    >>> turns.pop(3), len(turns)
    ([1, 4, 2], 1)
    """

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[Item]] = OrderedDict()
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, tenant: str, item: Item) -> None:
        """Adds an item at the end of the tenant's line."""
        self._lines.setdefault(tenant, deque()).append(item)
        self._count += 1

    def pop(self, most: int) -> list[Item]:
        """Removes and returns up to `most` items, one of each line in turn."""
        popped: list[Item] = []
        while self._lines and len(popped) < most:
            tenant, line = self._lines.popitem(last=False)
            popped.append(line.popleft())
            if line:
                self._lines[tenant] = line
        self._count -= len(popped)
        return popped
