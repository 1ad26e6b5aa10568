"""Commits the offsets of records that have ended."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field

from consumers.errors import Unavailable
from consumers.stream.offsets import Offsets
from consumers.stream.ports import Flow, NotAssigned, Partition, TopicConsumer


@dataclass(slots=True, kw_only=True, eq=False)
class Commits:
    """The commits of one consumer, one at a time."""

    topic: str
    offsets: Offsets
    flow: Flow
    every: float
    """Seconds between commits."""
    _due: asyncio.Event = field(default_factory=asyncio.Event)
    _ended: asyncio.Event = field(default_factory=asyncio.Event)
    _one: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note_ended(self) -> None:
        """A record has ended: there may be an offset to commit."""
        self._due.set()
        self._ended.set()

    async def wait_until_ended(self, partitions: Collection[Partition]) -> None:
        """Waits until every record that was read from these partitions has ended."""
        while not self.offsets.have_ended(partitions):
            self._ended.clear()
            await self._ended.wait()

    async def commit_when_due(self, source: TopicConsumer | None) -> None:
        """Waits until a record has ended and commits; what failed is due again."""
        await self._due.wait()
        self._due.clear()
        if not await self.commit(source):
            self._due.set()
        await asyncio.sleep(self.every)

    async def commit(self, source: TopicConsumer | None) -> bool:
        """Commits now; whether the offsets of all that has ended are committed."""
        async with self._one:
            points = self.offsets.due()
            if not points or source is None:
                return True
            try:
                await source.commit(points)
            except NotAssigned:
                self.flow.committed(self.topic, "not_assigned")
                return False
            except Unavailable:
                self.flow.committed(self.topic, "failed")
                return False
            self.offsets.committed(points)
            self.flow.committed(self.topic, "done")
            return True
