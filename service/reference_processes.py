"""Processes that judge answers by their references: bounded, of low priority, ended when they go on for too long."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import resource
from collections.abc import AsyncGenerator
from concurrent.futures import TimeoutError as OutOfTimeError
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from pebble import ProcessExpired, ProcessPool

from references.equivalence.pair import Semantics
from references.judging import judge_answer
from references.verdict import AnswerPair, NotJudged, ReferenceFinding, not_judged
from service.settings import ReferenceSettings

_PATIENCE = 4.0
"""Times its CPU's deadline that a process may take by the clock, for it gives way to all others."""
_LOAD = 30.0
"""Seconds more, for a process that has to start first."""
_NICE = 10
_TASKS = 500
"""Pairs after which a process is replaced, whatever it may have gathered."""
_STOP = 5.0


def longest(settings: ReferenceSettings) -> float:
    """Seconds by the clock after which a pair has ended, one way or another."""
    return settings.deadline * _PATIENCE + _LOAD


@dataclass(frozen=True, slots=True)
class ReferenceProcesses:
    """A `ReferenceJudge` whose work no query can take along."""

    settings: ReferenceSettings
    pool: ProcessPool

    async def judge(self, pair: AnswerPair) -> ReferenceFinding:
        """What a process finds, or how it ended."""
        settings = self.settings
        semantics = Semantics(settings.semantics) if settings.semantics != "reference" else None
        work = partial(judge_answer, bound=settings.bound, budget=settings.deadline, semantics=semantics)
        try:
            return await asyncio.wrap_future(self.pool.schedule(work, args=[pair], timeout=longest(settings)))
        except OutOfTimeError:
            return not_judged(NotJudged.RAN_OVER)
        except (ProcessExpired, MemoryError):
            return not_judged(NotJudged.PROCESS_ENDED)


@asynccontextmanager
async def reference_processes(settings: ReferenceSettings) -> AsyncGenerator[ReferenceProcesses]:
    """The processes, started when the first pair comes; on leaving they are ended, and what they were at is lost."""
    # forked from a process without threads: a fork of this one could hold a lock that nobody is left to give back
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["references.judging", "references.equivalence.certify"])
    pool = ProcessPool(
        max_workers=settings.processes,
        max_tasks=_TASKS,
        initializer=_settle,
        initargs=[settings.megabytes],
        context=context,  # pyright: ignore[reportArgumentType] pebble's protocol knows the pipes of one system only
    )
    try:
        yield ReferenceProcesses(settings, pool)
    finally:
        pool.stop()
        await asyncio.to_thread(pool.join, _STOP)


def _settle(megabytes: int) -> None:
    os.nice(_NICE)
    # what it writes to, and not what it maps: the solver's libraries alone map more than they use
    resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))
