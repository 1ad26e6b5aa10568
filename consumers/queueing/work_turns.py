"""Turns at work that slows everybody down: owners that wait get them one after another, however much each asks for."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(slots=True)
class RoundRobin(Generic[Item]):
    """What waits, by owner: the owner that had its turn longest ago is next, and its items keep their order.

    >>> line = RoundRobin[str]()
    >>> for item in ("a1", "a2", "a3", "b1"):
    ...     line.add(item[0], item)
    >>> [line.take() for _ in range(5)]
    ['a1', 'b1', 'a2', 'a3', None]
    """

    _waiting: dict[Hashable, deque[Item]] = field(default_factory=dict[Hashable, "deque[Item]"])
    _turns: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    """The number of each owner's latest turn since nothing waited."""
    _taken: int = 0

    def add(self, owner: Hashable, item: Item) -> None:
        """Puts the item behind the others of its owner."""
        self._waiting.setdefault(owner, deque()).append(item)

    def take(self) -> Item | None:
        """The next item; `None` if nothing waits."""
        if not self._waiting:
            self._turns.clear()
            return None
        owner = min(self._waiting, key=lambda each: self._turns.get(each, 0))
        self._taken += 1
        self._turns[owner] = self._taken
        items = self._waiting[owner]
        item = items.popleft()
        if not items:
            del self._waiting[owner]
        return item


class WorkTurns:
    """Places for work. Work that finds none free waits, and a place that gets free goes to the next owner."""

    def __init__(self, places: int = 1) -> None:
        self._free = places
        self._waiting = RoundRobin[asyncio.Future[None]]()

    @asynccontextmanager
    async def turn(self, owner: Hashable) -> AsyncGenerator[None]:
        """Waits for a place, and holds it until the context closes."""
        await self._enter(owner)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, owner: Hashable) -> None:
        if self._free:
            self._free -= 1
            return
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(owner, called)
        try:
            await called
        except asyncio.CancelledError:
            if not called.cancelled():
                # it was called and cancelled in the same step: the place is the next one's
                self._leave()
            raise

    def _leave(self) -> None:
        while (called := self._waiting.take()) is not None:
            if not called.done():
                called.set_result(None)
                return
        self._free += 1
