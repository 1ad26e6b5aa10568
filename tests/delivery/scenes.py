"""A scene is a fault with what it needs beside the common servers, and what only it can find wrong."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.delivery import traffic
from tests.delivery.faults import Fault
from tests.delivery.sites import Site
from tests.delivery.traffic import Message


@dataclass(slots=True, eq=False)
class Scene:
    """A fault that needs nothing else. Others override what they need."""

    fault: Fault | None = None

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        """Entered before workers start, left after the audit."""
        del site
        yield

    def events(self, seed: int, count: int) -> Sequence[Message]:
        """What agents publish."""
        return traffic.events(seed, count)

    async def happen(self, site: Site) -> str:
        """Makes the fault, ends it, and says what was done."""
        assert self.fault is not None
        return await self.fault(site)

    async def wrong(self, site: Site) -> list[str]:
        """What is wrong beside what every cell is audited for."""
        del site
        return []
