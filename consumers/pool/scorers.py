"""Runs the CPU-bound work of the pool away from the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from typing import Protocol, TypeVar

from consumers.decoding import Known, Record
from consumers.evaluation.event_evaluation import Evaluation
from consumers.evaluation.outcomes import Outcome
from consumers.score_events import LookedUp, ScoreEvents
from scoring.verdict import Case

Result = TypeVar("Result")


class Unfinished(StrEnum):
    """Why an event of a chunk has no result yet."""

    NOT_REACHED = "not_reached"
    """Its tenant's allowance of CPU in this chunk was spent before it: it belongs into a later chunk."""
    SET_ASIDE = "set_aside"
    """It took more than its tenant's allowance of CPU, or ended its process: it must be judged alone."""


class Scorer(Protocol):
    """Decodes records, and examines and judges events."""

    @property
    def chunks(self) -> int:
        """How many chunks of events it judges in parallel."""
        ...

    async def decode(self, records: Sequence[Record]) -> Sequence[Known | Outcome]:
        """Decodes each record to an event, or to the outcome it ends with."""
        ...

    async def judge(self, events: Sequence[Known], found: LookedUp) -> Sequence[Evaluation | Case | Unfinished]:
        """Returns each event's evaluation, the case for which a model must be asked, or why it has neither yet."""
        ...

    async def judge_alone(self, known: Known, found: LookedUp) -> Evaluation | Case:
        """The same for one event that was set aside; it ends here, whatever it costs."""
        ...

    def close(self) -> None:
        """Starts no more work, and does not wait for work in progress."""
        ...


class ThreadScorer:
    """A `Scorer` in one thread, for texts that are trusted: nothing can end the work on a costly one."""

    chunks = 1

    def __init__(self, score: ScoreEvents) -> None:
        self._score = score
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="score")

    async def _run(self, call: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def decode(self, records: Sequence[Record]) -> Sequence[Known | Outcome]:
        """Decodes each record to an event, or to the outcome it ends with."""
        return await self._run(lambda: [self._score.decode(each) for each in records])

    async def judge(self, events: Sequence[Known], found: LookedUp) -> Sequence[Evaluation | Case | Unfinished]:
        """Returns each event's evaluation, or the case for which a model must be asked."""
        return await self._run(lambda: [self._score.judge_at_once(each, found) for each in events])

    async def judge_alone(self, known: Known, found: LookedUp) -> Evaluation | Case:
        """Judges the event in the same thread."""
        return await self._run(lambda: self._score.judge_at_once(known, found))

    def close(self) -> None:
        """Starts no more work, and does not wait for work in progress."""
        self._thread.shutdown(wait=False, cancel_futures=True)
