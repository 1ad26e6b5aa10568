"""Any Python callable as a backend: each call runs in a process that may be killed."""

from __future__ import annotations

import asyncio
import inspect
import os
import resource
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evals.runner.cases import BenchmarkCase, GenerationFailure
from service.commands.eval.runner.generating import Generated, accepted, raised
from service.commands.gold.targets import load_target
from service.processes.limited_pool import CallStopped, LimitedPool, ProcessLimits, limited_pool

GRACE = 2.0
"""Seconds after the time limit at which a call that does not stop by itself is killed."""
_TASKS = 1_000_000
"""A process is kept as long as it lives: an agent may take long to load."""


@dataclass(slots=True)
class CallableBackend:
    """Calls `module:function` in processes of its own, one case at a time in each."""

    name: str
    seconds: float
    concurrency: int
    pools: list[LimitedPool] = field(default_factory=list[LimitedPool])

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """Starts the processes."""
        limits = ProcessLimits(workers=self.concurrency, tasks=_TASKS)
        async with limited_pool(limits, _prepare, self.name, str(Path.cwd())) as pool:
            self.pools.append(pool)
            yield
            self.pools.clear()

    async def generate(self, case: BenchmarkCase, sample: int) -> Generated:
        """The SQL of a case; a call that hangs or ends its process is a failure of this case."""
        found = await self.pools[0].call(_answer, case, self.seconds, seconds=self.seconds + GRACE)
        if not isinstance(found, CallStopped):
            return found
        if found.out_of_time:
            return _out_of_time(self.seconds)
        return GenerationFailure("ended", found.detail)


_TARGET: list[Callable[..., Any]] = []
"""The callable of this process."""
_RUNNER: list[asyncio.Runner] = []
"""One event loop for all calls of this process, as clients of servers expect."""


def _prepare(name: str, folder: str) -> None:
    """Loads the callable. What it prints goes to stderr, since stdout holds the command's results."""
    os.chdir(folder)
    os.dup2(2, 1)
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    resource.setrlimit(resource.RLIMIT_DATA, (half, half))
    _TARGET[:] = [load_target(name)]
    _RUNNER[:] = [asyncio.Runner()]


def _answer(case: BenchmarkCase, seconds: float) -> Generated:
    try:
        return accepted(_RUNNER[0].run(_called(case, seconds)))
    except TimeoutError:
        return _out_of_time(seconds)
    except BaseException as error:  # A backend is anybody's code, and may even exit.
        return raised(error)


async def _called(case: BenchmarkCase, seconds: float) -> object:
    async with asyncio.timeout(seconds) as limit:
        try:
            returned = _TARGET[0](case)
            return await returned if inspect.isawaitable(returned) else returned
        except TimeoutError as error:
            # one of its own is a failure of its own
            if limit.expired():
                raise
            return raised(error)


def _out_of_time(seconds: float) -> GenerationFailure:
    return GenerationFailure("timeout", f"no SQL within {seconds:g} s (--timeout)")
