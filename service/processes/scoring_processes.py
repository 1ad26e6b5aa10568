"""A `Scorer` that judges events in separate processes.

One thread of a process runs at a time, so scoring in the worker's process would delay the event loop and its
heartbeats. A text that takes too long, or that crashes its process, is known by the step at which the process ended: it
is judged alone, in a process of its own, and ends there. Its neighbours are judged again at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from consumers.decoding import Known, Record
from consumers.evaluation.event_evaluation import Evaluation
from consumers.evaluation.outcomes import Outcome
from consumers.evaluation.timings import timings_of
from consumers.pool.scorers import ThreadScorer, Unfinished
from consumers.queueing.allowances import Allowances
from consumers.score_events import LookedUp, ScoreEvents, left_out
from scoring.query import Unscored, UnscoredReason
from scoring.rules import Rules
from scoring.verdict import Case
from service.processes.endable import CallFailed, EndableProcess, EndReason, ProcessEnded
from service.processes.scoring_child import Judged, ScorerBug, SentEvent, judge_chunk, judge_event, open_judge

_TRIES = 3
"""How often a process may end before its first event, or during one event, until the event is held to blame."""
_NICENESS = 5
"""Of the process for events that are judged alone: chunks come first."""
_ENDED = "its process ended"
Result: TypeAlias = Judged | Unscored | Unfinished


class ProcessScorer:
    """Examines and judges in `processes` processes, and in one more what takes long; decodes in a thread."""

    def __init__(
        self,
        score: ScoreEvents,
        *,
        processes: int,
        weights: Path | None = None,
        cpu_seconds: float = 1.0,
        allowances: Allowances | None = None,
        on_end: Callable[[EndReason], None] = lambda _: None,
    ) -> None:
        """`on_end` is called with the reason when a process ends during a call."""
        self._score, self._cpu_seconds, self._on_end = score, cpu_seconds, on_end
        self._thread = ThreadScorer(score)
        self.chunks = processes
        setup = partial(open_judge, weights, remember=score.memory is not None)
        self._processes = [EndableProcess(setup) for _ in range(processes)]
        self._alone = EndableProcess(setup, niceness=_NICENESS)
        self._idle = asyncio.LifoQueue[EndableProcess]()
        for each in self._processes:
            self._idle.put_nowait(each)
        self._allowances = allowances or Allowances()

    async def decode(self, records: Sequence[Record]) -> Sequence[Known | Outcome]:
        """Decodes each record to its event, or to an outcome."""
        return await self._thread.decode(records)

    async def judge(self, events: Sequence[Known], found: LookedUp) -> Sequence[Evaluation | Case | Unfinished]:
        """Returns each event's evaluation, its case for a model, or why it has neither yet."""
        began = self._score.timer()
        chunk = _Chunk(events, found.rules, self._sent)
        if chunk.places:
            process = await self._idle.get()
            try:
                await self._judge_chunk(process, chunk)
            finally:
                self._idle.put_nowait(process)
        ended = self._score.timer()
        for timings in timings_of([each for each, result in zip(events, chunk.results, strict=True) if _done(result)]):
            timings.add("examine", began, ended)
        return [self._evaluation(each, found, result) for each, result in zip(events, chunk.results, strict=True)]

    async def _judge_chunk(self, process: EndableProcess, chunk: _Chunk) -> None:
        """Judges the events at `places`; after one that ended the process, the others again."""
        lost = 0
        while chunk.places:
            now = self._score.timer()
            allowances = {each: min(self._allowances.seconds(each, now), self._cpu_seconds) for each in chunk.tenants()}
            rules = {tenant: chunk.rules[tenant] for tenant in allowances}
            try:
                results = await process.call(judge_chunk, chunk.sent(), rules, allowances)
            except ProcessEnded as ended:
                self._on_end(ended.reason)
                if ended.steps:
                    self._allowances.note_exceeded(chunk.set_aside_at(ended.steps - 1), self._score.timer())
                    continue
                lost += 1
                if lost == _TRIES:
                    raise
            except CallFailed:
                chunk.set_aside()
            else:
                chunk.keep(results)

    async def judge_alone(self, known: Known, found: LookedUp) -> Evaluation | Case:
        """Judges one event in a process of its own. The event ends here, whatever it costs."""
        began = self._score.timer()
        result = await self._judge_event(known, found.rules[known.event.tenant])
        if known.timings is not None:
            known.timings.add("examine", began, self._score.timer())
        evaluation = self._evaluation(known, found, result)
        assert not isinstance(evaluation, Unfinished)  # noqa: S101 a single event has a result
        return evaluation

    async def _judge_event(self, known: Known, rules: Rules) -> Result:
        for tries in range(1, _TRIES + 1):
            try:
                return await self._alone.call(judge_event, self._sent(known), rules, self._cpu_seconds)
            except ProcessEnded as ended:
                self._on_end(ended.reason)
                if ended.over_limit:
                    return too_costly(self._cpu_seconds)
                if tries == _TRIES:
                    return self._score.report_bug(known, ended, kind=_ENDED)
            except CallFailed as error:
                return self._score.report_bug(known, error, kind=error.kind)
        raise AssertionError("the last try returns")

    def _evaluation(self, known: Known, found: LookedUp, result: Result) -> Evaluation | Case | Unfinished:
        if isinstance(result, Case | Unfinished):
            return result
        if isinstance(result, ScorerBug):
            result = self._score.report_bug(known, CallFailed(*result), kind=result.kind)
        return self._score.evaluation(known, found, result)

    def _sent(self, known: Known) -> SentEvent:
        return SentEvent(known.event.tenant, known.event.event_id, self._score.query(known))

    def close(self) -> None:
        """Stops the thread and the processes, with their current work."""
        self._thread.close()
        for each in (*self._processes, self._alone):
            each.kill()


class _Chunk:
    """Events judged together: the results so far, and the places of those that have none."""

    def __init__(self, events: Sequence[Known], rules: Mapping[str, Rules], send: Callable[[Known], SentEvent]) -> None:
        self.rules, self._events, self._send = rules, events, send
        self.results: list[Result] = [
            left_out(each.event, each.sampledrate, rules[each.event.tenant]) or Unfinished.NOT_REACHED
            for each in events
        ]
        self.places = [place for place, each in enumerate(self.results) if isinstance(each, Unfinished)]

    def _tenant(self, place: int) -> str:
        return self._events[place].event.tenant

    def tenants(self) -> set[str]:
        return {self._tenant(place) for place in self.places}

    def sent(self) -> list[SentEvent]:
        return [self._send(self._events[place]) for place in self.places]

    def keep(self, results: Sequence[Judged | Unfinished]) -> None:
        """Keeps the results of the events at `places`: the chunk is done."""
        for place, result in zip(self.places, results, strict=True):
            self.results[place] = result
        self.places = []

    def set_aside(self) -> None:
        """Sets aside all that have no result."""
        self.keep([Unfinished.SET_ASIDE] * len(self.places))

    def set_aside_at(self, index: int) -> str:
        """Sets an event aside, and leaves what follows of its tenant to a later chunk; returns the tenant."""
        suspect, tenant = self.places[index], self._tenant(self.places[index])
        self.results[suspect] = Unfinished.SET_ASIDE
        self.places = self.places[:index] + [each for each in self.places[index + 1 :] if self._tenant(each) != tenant]
        return tenant


def _done(result: Result) -> bool:
    return not isinstance(result, Unfinished)


def too_costly(seconds: float) -> Unscored:
    """The result of an event that takes more than these seconds of CPU."""
    return Unscored(
        UnscoredReason.TOO_COSTLY,
        f"scoring took more than {seconds:g} s of CPU (SQLASSAY_POOL__CPU_SECONDS): shorten the question or the SQL",
    )
