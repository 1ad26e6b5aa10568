"""Limits how many calls of a model run at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Slots:
    """At most `total` calls at once, and at most `of_tenant` for each tenant."""

    total: int
    of_tenant: int
    _all: asyncio.Semaphore = field(init=False)
    _tenants: dict[str, tuple[asyncio.Semaphore, int]] = field(default_factory=dict[str, tuple[asyncio.Semaphore, int]])
    """Of each tenant with calls: its semaphore and how many calls hold or await it."""

    def __post_init__(self) -> None:
        self._all = asyncio.Semaphore(self.total)

    @asynccontextmanager
    async def slot(self, tenant: str) -> AsyncGenerator[None]:
        """Waits for a slot of the tenant, then for one of the total, and holds both while open."""
        own, users = self._tenants.get(tenant, (asyncio.Semaphore(self.of_tenant), 0))
        self._tenants[tenant] = own, users + 1
        try:
            async with own, self._all:
                yield
        finally:
            own, users = self._tenants.pop(tenant)
            if users > 1:
                self._tenants[tenant] = own, users - 1
