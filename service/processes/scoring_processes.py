"""A `Scorer` that judges events in separate processes.

One thread of a process runs at a time, so scoring in the worker's process would delay the event loop and its
heartbeats. A text that crashes its process loses its own score and stops no worker.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import TimeoutError as OutOfTimeError
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from pebble import ProcessExpired, ProcessPool

from consumers.decoding import Known, Record
from consumers.evaluation.event_evaluation import Evaluation, LineOut, line_out
from consumers.evaluation.outcomes import Outcome
from consumers.evaluation.timings import timings_of
from consumers.judging.panel import Panel
from consumers.pool.scorers import ThreadScorer
from consumers.queueing.isolation import isolate_failures
from consumers.score_events import LookedUp, ScoreEvents, judged_at_once
from consumers.wire.events import QueryEvent
from scoring.query import Unscored
from scoring.rules import Rules
from scoring.verdict import Case
from service.judges.weights import fitted_judge, local_judge
from service.processes.interpreter import tune_interpreter

SampledEvents: TypeAlias = "Sequence[tuple[QueryEvent, int | None]]"
"""Events, each with its sample rate."""
Judged: TypeAlias = "LineOut | Case | Unscored | None"
"""The result of an event, or the case for a model; `None` where the process returned neither."""
_TRIES = 3
"""How often the processes are restarted for a chunk before it is judged in this process."""
_CHUNK_SECONDS = 20.0
"""Time limit of a chunk. One that exceeds it is split to find the event that hangs."""


class ProcessScorer:
    """Examines and judges in `processes` processes; decodes in a thread of this one."""

    def __init__(
        self, score: ScoreEvents, *, processes: int, weights: Path | None, chunk_seconds: float = _CHUNK_SECONDS
    ) -> None:
        self._score, self._weights, self._chunk_seconds = score, weights, chunk_seconds
        self._thread = ThreadScorer(score)
        self.chunks = processes
        self._pool = self._open_pool()

    def _open_pool(self) -> ProcessPool:
        return ProcessPool(
            self.chunks,
            initializer=_start,
            initargs=[self._weights],
            # a forked process would inherit locks that this one's threads hold
            context=get_context("spawn"),  # pyright: ignore[reportArgumentType] pebble's protocol only knows the pipes of one platform
        )

    async def decode(self, records: Sequence[Record]) -> Sequence[Known | Outcome]:
        """Decodes each record to its event, or to an outcome."""
        return await self._thread.decode(records)

    async def judge(self, events: Sequence[Known], found: LookedUp) -> Sequence[Evaluation | Case]:
        """Returns each event's evaluation, or its case for a model."""
        began = self._score.timer()
        results = await self._judge_isolated(events, found)
        for timings in timings_of(events):
            timings.add("examine", began, self._score.timer())
        return [await self._evaluation(each, found, result) for each, result in zip(events, results, strict=True)]

    async def _evaluation(self, known: Known, found: LookedUp, result: Judged) -> Evaluation | Case:
        if isinstance(result, Case):
            return result
        if result is not None:
            return self._score.evaluation(known, found, result)
        # an event that cannot be pickled is judged here; a bug raises again here, where it is counted
        (again,) = await self._thread.judge([known], found)
        return again

    async def _judge_isolated(self, events: Sequence[Known], found: LookedUp) -> Sequence[Judged]:
        """Judges a chunk; an event that crashes its process or cannot be sent is isolated."""
        results: dict[int, Judged] = {}

        async def judge(places: Sequence[int]) -> None:
            part = await self._judge_on_new_pools([events[place] for place in places], found)
            results.update(zip(places, part, strict=True))

        for place, error in await isolate_failures(judge, range(len(events)), Exception):
            crashed = isinstance(error, ProcessExpired | OutOfTimeError)
            results[place] = self._score.report_bug(events[place], error) if crashed else None
        return [results[place] for place in range(len(events))]

    async def _judge_on_new_pools(self, events: Sequence[Known], found: LookedUp) -> Sequence[Judged]:
        for _ in range(_TRIES + 1):
            # none of these events broke the pool
            with suppress(BrokenProcessPool):
                return await self._judge_in_process(events, found)
        return [None] * len(events)

    async def _judge_in_process(self, events: Sequence[Known], found: LookedUp) -> Sequence[Judged]:
        if not self._pool.active:
            self._pool = self._open_pool()
        sent = [(each.event, each.sampledrate) for each in events]
        rules = {each.event.tenant: found.rules[each.event.tenant] for each in events}
        judged = asyncio.wrap_future(self._pool.schedule(_judge_all, args=[sent, rules], timeout=self._chunk_seconds))
        # a process killed right as it receives a chunk loses it, and the pool never answers for it; a chunk in front
        # of this one may take as long as this one
        done, _ = await asyncio.wait([judged], timeout=3 * self._chunk_seconds)
        if not done:
            judged.cancel()
            raise BrokenProcessPool("a process died and its chunk was lost")
        return judged.result()

    def close(self) -> None:
        """Stops the thread and the processes, with their current work."""
        self._thread.close()
        self._pool.stop()
        self._pool.join()


def _read_only(mapping: dict[str, str]) -> MappingProxyType[str, str]:
    return MappingProxyType(mapping)


# rules hold such mappings, and pickle cannot send them
ForkingPickler.register(MappingProxyType, lambda each: (_read_only, (dict(each),)))

_PANEL: list[Panel] = []
"""The panel of a scoring process, set when it starts."""


def _start(weights: Path | None) -> None:
    """Starts a scoring process: loads the judge and watches the parent, to end with it."""
    # Ctrl-C in a terminal reaches all processes: the parent drains first and then ends this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _PANEL.append(Panel(local=(local_judge() if weights is None else fitted_judge(weights)).judge))
    tune_interpreter()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)


def _judge_all(events: SampledEvents, rules: dict[str, Rules]) -> list[Judged]:
    return [_judge(event, sampledrate, rules[event.tenant]) for event, sampledrate in events]


def _judge(event: QueryEvent, sampledrate: int | None, rules: Rules) -> Judged:
    try:
        result = judged_at_once(event, sampledrate, rules, _PANEL[0].at_once)
        return result if isinstance(result, Case) else line_out(event, result, rules)
    except Exception:
        return None
