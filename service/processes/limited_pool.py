"""Processes that serve calls of a command: one that hangs or grows is killed and replaced, and costs its own call."""

from __future__ import annotations

import asyncio
import resource
import signal
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import TimeoutError as OutOfTimeError
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from pebble import ProcessExpired, ProcessPool

from service.processes.child import end_with_parent
from service.processes.forking import forking_context

Result = TypeVar("Result")
_TRIES = 3
"""Broken pools after which a call is held to blame."""
_TASKS = 2_000
"""Calls after which a process is replaced, which frees leaked memory."""


@dataclass(frozen=True, slots=True)
class CallStopped:
    """Why a call has no result."""

    out_of_time: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """What the processes may use."""

    workers: int
    megabytes: int | None = None
    """Address space of one process; `None` is no limit."""
    tasks: int = _TASKS


class LimitedPool:
    """Calls functions in other processes, each for a limited time."""

    def __init__(self, limits: ProcessLimits, setup: Callable[[], object]) -> None:
        self._limits = limits
        self._setup = setup
        self._pool = self._new()

    def _new(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._limits.workers,
            max_tasks=self._limits.tasks,
            context=forking_context(),  # pyright: ignore[reportArgumentType] Pipe's type differs by platform
            initializer=_start,
            initargs=[self._limits.megabytes, self._setup],
        )

    async def call(self, function: Callable[..., Result], *arguments: object, seconds: float) -> Result | CallStopped:
        """Returns the result, or why the call was stopped. Raises what the function raises."""
        for _ in range(_TRIES):
            pool = self._pool
            try:
                # in a thread: the first call waits for the processes to start
                future = await asyncio.to_thread(pool.schedule, function, list(arguments), {}, seconds)
                return await asyncio.wrap_future(future)
            except OutOfTimeError:
                return CallStopped(True, f"it took more than {seconds:g} s")
            except ProcessExpired as expired:
                return CallStopped(False, f"it ended its process (code {expired.exitcode})")
            except MemoryError:
                return CallStopped(False, "it needs more memory than it may have")
            except RuntimeError as error:
                if not isinstance(error, BrokenProcessPool) and pool.active:
                    raise
                await self._replace(pool)
        return CallStopped(False, "its processes end again and again")

    async def _replace(self, broken: ProcessPool) -> None:
        """Replaces a pool that accepts no more work: pebble stops it when an idle process ends."""
        if self._pool is broken:
            self._pool = self._new()
            await asyncio.to_thread(_end, broken)

    async def end(self) -> None:
        """Kills the processes."""
        await asyncio.to_thread(_end, self._pool)


def _end(pool: ProcessPool) -> None:
    pool.stop()
    pool.join()


def _start(megabytes: int | None, setup: Callable[[], object]) -> None:
    # Ctrl-C in a terminal reaches all processes: the parent keeps what is done and then ends this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    if megabytes is not None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    setup()


@asynccontextmanager
async def limited_pool(
    limits: ProcessLimits, setup: Callable[..., object], *arguments: Any
) -> AsyncGenerator[LimitedPool]:
    """Opens the pool; each process runs `setup` when it starts. The processes end on leaving."""
    pool = LimitedPool(limits, partial(setup, *arguments))
    try:
        yield pool
    finally:
        await pool.end()
