"""Processes that judge answers by their references: bounded, of low priority, ended when they go on for too long."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
from collections.abc import AsyncGenerator
from concurrent.futures import TimeoutError as OutOfTimeError
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager
from functools import partial

from pebble import ProcessExpired, ProcessPool

from references.judging import judge_answer
from references.semantics import Semantics
from references.verdict import AnswerPair, NotJudged, ReferenceFinding, not_judged
from service.settings.judge_settings import ReferenceSettings

_PATIENCE = 4.0
"""Times its CPU's deadline that a process may take by the clock, for it gives way to all others."""
_LOAD = 30.0
"""Seconds more, for a process that has to start first."""
_NICE = 10
_TASKS = 500
"""Pairs after which a process is replaced, whatever it may have gathered."""
_TRIES = 3
"""Pools that a pair is given to before it is to blame for their end."""


def longest(settings: ReferenceSettings) -> float:
    """Seconds by the clock after which a pair has ended, one way or another."""
    return settings.deadline * _PATIENCE + _LOAD


class ReferenceProcesses:
    """A `ReferenceJudge` whose work no query can take along."""

    def __init__(self, settings: ReferenceSettings) -> None:
        self._settings = settings
        semantics = Semantics(settings.semantics) if settings.semantics != "reference" else None
        self._work = partial(judge_answer, bound=settings.bound, budget=settings.deadline, semantics=semantics)
        self._pool = _new_pool(settings)

    async def judge(self, pair: AnswerPair) -> ReferenceFinding:
        """What a process finds, or how it ended."""
        for _ in range(_TRIES):
            pool = self._pool
            try:
                # in a thread: the first one waits for the processes to start
                future = await asyncio.to_thread(pool.schedule, self._work, [pair], {}, longest(self._settings))
            except RuntimeError:
                await self._replace(pool)
                continue
            try:
                return await asyncio.wrap_future(future)
            except OutOfTimeError:
                return not_judged(NotJudged.RAN_OVER)
            except BrokenProcessPool:
                await self._replace(pool)
            except (ProcessExpired, MemoryError):
                return not_judged(NotJudged.PROCESS_ENDED)
        return not_judged(NotJudged.PROCESS_ENDED)

    async def _replace(self, broken: ProcessPool) -> None:
        """Another pool in the place of one that takes no more: it gives up when a process ends that did nothing."""
        if self._pool is broken:
            self._pool = _new_pool(self._settings)
            await _end(broken)

    async def end(self) -> None:
        """Ends the processes; what they were at is lost."""
        await _end(self._pool)


@asynccontextmanager
async def reference_processes(settings: ReferenceSettings) -> AsyncGenerator[ReferenceProcesses]:
    """The processes, started when the first pair comes and ended on leaving."""
    processes = ReferenceProcesses(settings)
    try:
        yield processes
    finally:
        await processes.end()


def _new_pool(settings: ReferenceSettings) -> ProcessPool:
    # forked from a process without threads: a fork of this one could hold a lock that nobody is left to give back
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["references.judging", "references.equivalence.certify"])
    return ProcessPool(
        max_workers=settings.processes,
        max_tasks=_TASKS,
        initializer=_settle,
        initargs=[settings.megabytes],
        context=context,  # pyright: ignore[reportArgumentType] pebble's protocol knows the pipes of one system only
    )


async def _end(pool: ProcessPool) -> None:
    pool.stop()
    await asyncio.to_thread(pool.join)


def _settle(megabytes: int) -> None:
    os.nice(_NICE)
    # what it writes to, and not what it maps: the solver's libraries alone map more than they use
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
