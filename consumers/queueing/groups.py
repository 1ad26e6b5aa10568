"""Items gathered into groups, so that what is done once per group is done seldom."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Generic, Protocol, TypeVar

from consumers.queueing.shares import Turns

Item = TypeVar("Item")


class Line(Protocol[Item]):
    """What items wait in."""

    def __len__(self) -> int: ...

    def take(self, most: int) -> list[Item]:
        """Up to `most` of them, the next first."""
        ...


async def _gather(line: Line[Item], arrived: asyncio.Event, most: int, linger: float) -> list[Item]:
    while not len(line):
        arrived.clear()
        await arrived.wait()
    if linger and len(line) < most:
        await asyncio.sleep(linger)
    return line.take(most)


class Fifo(Generic[Item]):
    """One line, first come first served."""

    def __init__(self) -> None:
        self._items: deque[Item] = deque()

    def __len__(self) -> int:
        return len(self._items)

    def extend(self, items: Iterable[Item]) -> None:
        """Adds to the end."""
        self._items.extend(items)

    def take(self, most: int) -> list[Item]:
        """Up to `most` items, the oldest first."""
        return [self._items.popleft() for _ in range(min(most, len(self._items)))]

    def drop(self, which: Callable[[Item], bool]) -> list[Item]:
        """Takes out those that are meant, wherever they stand."""
        kept, dropped = deque[Item](), list[Item]()
        for item in self._items:
            (dropped if which(item) else kept).append(item)
        self._items = kept
        return dropped


class Groups(Generic[Item]):
    """Hands on what was put in, at most `size` at a time and up to `linger` seconds after the first."""

    def __init__(self, *, size: int, linger: float = 0.0) -> None:
        self._line = Fifo[Item]()
        self._arrived = asyncio.Event()
        self._size, self._linger = size, linger

    def __len__(self) -> int:
        return len(self._line)

    def put(self, *items: Item) -> None:
        """Adds to the end of the line."""
        self._line.extend(items)
        self._arrived.set()

    def drop(self, which: Callable[[Item], bool]) -> list[Item]:
        """Takes out those that are meant, wherever they stand."""
        return self._line.drop(which)

    async def next(self) -> list[Item]:
        """The next group; waits until there is one."""
        return await _gather(self._line, self._arrived, self._size, self._linger)


class FairGroups(Generic[Item]):
    """The same, with the items of each tenant in turn."""

    def __init__(self, *, size: int) -> None:
        self._turns = Turns[Item]()
        self._arrived = asyncio.Event()
        self._size = size

    def __len__(self) -> int:
        return len(self._turns)

    def put(self, tenant: str, item: Item) -> None:
        """Adds to the end of the tenant's line."""
        self._turns.put(tenant, item)
        self._arrived.set()

    async def next(self) -> list[Item]:
        """The next group; waits until there is one."""
        return await _gather(self._turns, self._arrived, self._size, 0.0)
