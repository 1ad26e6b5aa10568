"""Judges answers by their references in separate processes: bounded, of low priority, with a time limit."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
from collections.abc import AsyncGenerator
from concurrent.futures import TimeoutError as OutOfTimeError
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from functools import partial

from pebble import ProcessExpired, ProcessPool

from references.judging import judge_answer
from references.reference_verdict import AnswerPair, NotJudged, ReferenceFinding, not_judged
from references.semantics import Semantics
from service.processes.child import limit_cpu
from service.processes.forking import forking_context
from service.settings.judge_settings import ReferenceSettings

_CLOCK_PER_CPU = 4.0
"""Clock time allowed per CPU time: a process of low priority often waits for others."""
_CPU_PER_BUDGET = 2.0
"""CPU after which the kernel ends a process, per budget: a parse that does not end reads no clock."""
_START_SECONDS = 30.0
"""Added for a process that must start first."""
_NICE = 10
_TASKS = 500
"""Pairs after which a process is replaced, which frees leaked memory."""
_TRIES = 3
"""Broken pools after which a pair is held to blame."""


def pair_timeout(settings: ReferenceSettings) -> float:
    """Seconds by the clock after which a pair is stopped."""
    return settings.deadline * _CLOCK_PER_CPU + _START_SECONDS


class ReferenceProcesses:
    """A `ReferenceJudge` that survives queries which crash or hang."""

    def __init__(self, settings: ReferenceSettings) -> None:
        self._settings = settings
        semantics = Semantics(settings.semantics) if settings.semantics != "reference" else None
        self._work = partial(_judge_limited, bound=settings.bound, budget=settings.deadline, semantics=semantics)
        self._pool = _new_pool(settings)

    async def judge(self, pair: AnswerPair) -> ReferenceFinding:
        """Returns what a process finds, or why it found nothing."""
        for _ in range(_TRIES):
            pool = self._pool
            try:
                # in a thread: the first call waits for the processes to start
                future = await asyncio.to_thread(pool.schedule, self._work, [pair], {}, pair_timeout(self._settings))
            except RuntimeError:
                await self._replace(pool)
                continue
            try:
                return await asyncio.wrap_future(future)
            except OutOfTimeError:
                return not_judged(NotJudged.RAN_OVER)
            except BrokenProcessPool:
                await self._replace(pool)
            except ProcessExpired as expired:
                ran_over = expired.exitcode == -signal.SIGPROF
                return not_judged(NotJudged.RAN_OVER if ran_over else NotJudged.PROCESS_ENDED)
            except MemoryError:
                return not_judged(NotJudged.PROCESS_ENDED)
        return not_judged(NotJudged.PROCESS_ENDED)

    async def _replace(self, broken: ProcessPool) -> None:
        """Replaces a pool that accepts no more work: pebble stops it when an idle process ends."""
        if self._pool is broken:
            self._pool = _new_pool(self._settings)
            await _end(broken)

    async def end(self) -> None:
        """Ends the processes and drops their work."""
        await _end(self._pool)


@asynccontextmanager
async def reference_processes(settings: ReferenceSettings) -> AsyncGenerator[ReferenceProcesses]:
    """Opens the processes; they start with the first pair and end on leaving."""
    processes = ReferenceProcesses(settings)
    try:
        yield processes
    finally:
        await processes.end()


def _new_pool(settings: ReferenceSettings) -> ProcessPool:
    return ProcessPool(
        max_workers=settings.processes,
        max_tasks=_TASKS,
        initializer=_limit_process,
        initargs=[settings.megabytes],
        context=forking_context(),  # pyright: ignore[reportArgumentType] pebble's protocol only knows the pipes of one platform
    )


async def _end(pool: ProcessPool) -> None:
    pool.stop()
    await asyncio.to_thread(pool.join)


def _judge_limited(pair: AnswerPair, *, bound: int, budget: float, semantics: Semantics | None) -> ReferenceFinding:
    limit_cpu(_CPU_PER_BUDGET * budget)
    try:
        return judge_answer(pair, bound=bound, budget=budget, semantics=semantics)
    finally:
        limit_cpu(0)


def _limit_process(megabytes: int) -> None:
    os.nice(_NICE)
    # RLIMIT_DATA and not RLIMIT_AS: the solver's libraries map far more than they use
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
