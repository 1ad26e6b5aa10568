"""Runs a task in the background for as long as a context is open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def background_task(work: Coroutine[Any, Any, None], name: str) -> AsyncGenerator[asyncio.Task[None]]:
    """Starts `work` as a task and cancels it on leaving."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
