"""Long calls, each in a task of its own: a bounded number at once for each tenant, the others in its line."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from typing import TypeAlias

Call: TypeAlias = Callable[[], Awaitable[None]]


class Lines:
    """Runs at most `each` calls at once for one tenant. A call handles its own failures."""

    def __init__(self, *, each: int) -> None:
        self._each = each
        self._waiting: dict[str, deque[Call]] = {}
        self._running: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        """How many calls are running."""
        return len(self._tasks)

    def put(self, tenant: str, call: Call) -> None:
        """Runs the call as soon as the tenant has a place."""
        self._waiting.setdefault(tenant, deque()).append(call)
        self._start(tenant)

    def _start(self, tenant: str) -> None:
        line = self._waiting.get(tenant)
        while line and self._running[tenant] < self._each:
            self._running[tenant] += 1
            task = asyncio.create_task(self._run(tenant, line.popleft()))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if not line:
            self._waiting.pop(tenant, None)

    async def _run(self, tenant: str, call: Call) -> None:
        try:
            await call()
        finally:
            self._running[tenant] -= 1
            if not self._running[tenant]:
                del self._running[tenant]
            self._start(tenant)

    async def cancel(self) -> None:
        """Cancels all running calls and drops those in line."""
        self._waiting.clear()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
