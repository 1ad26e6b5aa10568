"""A `Scorer` whose events are judged in processes of their own, beside the one that reads and writes.

The interpreter's lock lets one thread of a process run at a time: scoring beside it neither waits for the event loop
nor keeps it from its heartbeats, and a text that a process dies of costs that text its score, and no worker.
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
from consumers.evaluation.evaluation import Evaluation, LineOut, line_out
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
from service.processes.interpreter import settle_interpreter

Sent: TypeAlias = "Sequence[tuple[QueryEvent, int | None]]"
"""Events, each with its sample rate."""
End: TypeAlias = "LineOut | Case | Unscored | None"
"""How an event ended, or the case for which a model must be asked; `None` where neither came back."""
_TRIES = 3
"""How often processes are started anew for a chunk before it is judged without."""
_LONGEST = 20.0
"""Seconds after which a chunk is taken apart to find what is not getting done."""


class ProcessScorer:
    """Examines and judges in so many processes; all else is done in a thread of this one."""

    def __init__(self, score: ScoreEvents, *, processes: int, weights: Path | None) -> None:
        self._score, self._weights = score, weights
        self._thread = ThreadScorer(score)
        self.chunks = processes
        self._pool = self._opened()

    def _opened(self) -> ProcessPool:
        return ProcessPool(
            self.chunks,
            initializer=_begin,
            initargs=[self._weights],
            # one made by fork would share the locks of this one's threads
            context=get_context("spawn"),  # pyright: ignore[reportArgumentType] pebble's protocol knows the pipes of one system only
        )

    async def decode(self, records: Sequence[Record]) -> Sequence[Known | Outcome]:
        """The event that each record is, or how it ended."""
        return await self._thread.decode(records)

    async def judge(self, events: Sequence[Known], found: LookedUp) -> Sequence[Evaluation | Case]:
        """Each event's evaluation, or the case for which a model must be asked."""
        began = self._score.timer()
        ends = await self._judged(events, found)
        for timings in timings_of(events):
            timings.add("examine", began, self._score.timer())
        return [await self._made(each, found, end) for each, end in zip(events, ends, strict=True)]

    async def _made(self, known: Known, found: LookedUp, end: End) -> Evaluation | Case:
        if isinstance(end, Case):
            return end
        if end is not None:
            return self._score.evaluation(known, found, end)
        # what cannot be sent is judged here, and a bug happens again where it is counted
        (again,) = await self._thread.judge([known], found)
        return again

    async def _judged(self, events: Sequence[Known], found: LookedUp) -> Sequence[End]:
        """What each event's judgement is; an event that kills its process, or cannot be sent, is isolated."""
        ends: dict[int, End] = {}

        async def judge(places: Sequence[int]) -> None:
            part = await self._sent_again([events[place] for place in places], found)
            ends.update(zip(places, part, strict=True))

        for place, error in await isolate_failures(judge, range(len(events)), Exception):
            died = isinstance(error, ProcessExpired | OutOfTimeError)
            ends[place] = self._score.report_bug(events[place], error) if died else None
        return [ends[place] for place in range(len(events))]

    async def _sent_again(self, events: Sequence[Known], found: LookedUp) -> Sequence[End]:
        for _ in range(_TRIES + 1):
            # a pool that is broken was broken by none of these events
            with suppress(BrokenProcessPool):
                return await self._sent(events, found)
        return [None] * len(events)

    async def _sent(self, events: Sequence[Known], found: LookedUp) -> Sequence[End]:
        if not self._pool.active:
            self._pool = self._opened()
        sent = [(each.event, each.sampledrate) for each in events]
        rules = {each.event.tenant: found.rules[each.event.tenant] for each in events}
        return await asyncio.wrap_future(self._pool.schedule(_judge_all, args=[sent, rules], timeout=_LONGEST))

    def close(self) -> None:
        """Begins nothing more, and ends what is under way."""
        self._thread.close()
        self._pool.stop()
        self._pool.join()


def _read_only(mapping: dict[str, str]) -> MappingProxyType[str, str]:
    return MappingProxyType(mapping)


# rules hold one, and it cannot be sent as it is
ForkingPickler.register(MappingProxyType, lambda each: (_read_only, (dict(each),)))

_PANEL: list[Panel] = []
"""The one of a process that judges, once it has begun."""


def _begin(weights: Path | None) -> None:
    """What a process that judges does first: loads the judge, and sees to it that it ends with its parent."""
    # a terminal's Ctrl-C goes to all: the parent drains, and then ends this one
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _PANEL.append(Panel(local=(local_judge() if weights is None else fitted_judge(weights)).judge))
    settle_interpreter()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)


def _judge_all(events: Sent, rules: dict[str, Rules]) -> list[End]:
    return [_judge(event, sampledrate, rules[event.tenant]) for event, sampledrate in events]


def _judge(event: QueryEvent, sampledrate: int | None, rules: Rules) -> End:
    try:
        end = judged_at_once(event, sampledrate, rules, _PANEL[0].at_once)
        return end if isinstance(end, Case) else line_out(event, end, rules)
    except Exception:
        return None
