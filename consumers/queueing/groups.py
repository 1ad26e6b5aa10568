"""Queues that hand items on in groups, so that work done once per group is done seldom."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from consumers.queueing.shares import Turns

Item = TypeVar("Item")


class Line(Protocol[Item]):
    """A queue of items."""

    def __len__(self) -> int: ...

    def pop(self, most: int) -> list[Item]:
        """Removes and returns up to `most` items, the next first."""
        ...


async def _gather(line: Line[Item], arrived: asyncio.Event, most: int, linger: float) -> list[Item]:
    while not len(line):
        arrived.clear()
        await arrived.wait()
    if linger and len(line) < most:
        await asyncio.sleep(linger)
    return line.pop(most)


class Fifo(Generic[Item]):
    """One line, first come first served."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()

    def __len__(self) -> int:
        return len(self._items)

    def extend(self, items: Iterable[Item]) -> None:
        """Adds items at the end."""
        self._items.extend(items)

    def pop(self, most: int) -> list[Item]:
        """Removes and returns up to `most` items, the oldest first."""
        return [self._items.popleft() for _ in range(min(most, len(self._items)))]

    def drop(self, which: Callable[[Item], bool]) -> list[Item]:
        """Removes and returns the items for which `which` is true."""
        kept, dropped = deque[Item](), list[Item]()
        for item in self._items:
            (dropped if which(item) else kept).append(item)
        self._items = kept
        return dropped


class Groups(Generic[Item]):
    """Hands items on in groups: at most `size` at a time, up to `linger` seconds after the first came."""

    def __init__(self, *, size: int, linger: float = 0.0) -> None:
        self._line = Fifo[Item]()
        self._arrived = asyncio.Event()
        self._size, self._linger = size, linger

    def __len__(self) -> int:
        return len(self._line)

    def put(self, *items: Item) -> None:
        """Adds items at the end of the line."""
        self._line.extend(items)
        self._arrived.set()

    def drop(self, which: Callable[[Item], bool]) -> list[Item]:
        """Removes and returns the items for which `which` is true."""
        return self._line.drop(which)

    async def next(self) -> list[Item]:
        """Waits for the next group and returns it."""
        return await _gather(self._line, self._arrived, self._size, self._linger)


class FairGroups(Generic[Item]):
    """Hands items on in groups of at most `size`, one item of each tenant in turn."""

    def __init__(self, *, size: int) -> None:
        self._turns = Turns[Item]()
        self._arrived = asyncio.Event()
        self._size = size

    def __len__(self) -> int:
        return len(self._turns)

    def put(self, tenant: str, item: Item) -> None:
        """Adds an item at the end of the tenant's line."""
        self._turns.put(tenant, item)
        self._arrived.set()

    async def next(self) -> list[Item]:
        """Waits for the next group and returns it."""
        return await _gather(self._turns, self._arrived, self._size, 0.0)
