"""Scores the records of all inputs: each record submitted has a receipt that resolves once its outcome is durable.

`stages.py` shows the way of a record. Records are decoded and events examined in batches, away from the event loop.
Models are asked about one event each. Rows of all batches are written in groups by one writer. While a dependency is
down nothing is dropped: the records in flight wait, and `submit` makes senders wait.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeVar

from consumers.decoding import Record
from consumers.errors import RefusedByStore, RulesUnavailable, Unavailable
from consumers.evaluation.deferrals import RetryPolicy
from consumers.evaluation.event_evaluation import Evaluation
from consumers.evaluation.event_outcomes import deferred, id_conflict, refused_by_store
from consumers.evaluation.outcomes import DeferredReason, Outcome
from consumers.pool.aside import SetAside
from consumers.pool.deferring import deferral, tried_too_often
from consumers.pool.flight import Flight, Job, Receipt
from consumers.pool.limits import PoolLimits
from consumers.pool.outages import Outages
from consumers.pool.ports import DeferredEvents, Results
from consumers.pool.scorers import Scorer, ThreadScorer, Unfinished
from consumers.pool.stages import Stage, StageResult
from consumers.pool.unpublished_results import UnpublishedResults
from consumers.queueing.groups import FairGroups, Groups
from consumers.queueing.isolation import isolate_failures
from consumers.queueing.lines import Lines
from consumers.queueing.retrying import Backoff, repeat
from consumers.score_events import LookedUp, ScoreEvents
from scoring.query import Unscored
from scoring.rules import JudgePolicy
from scoring.verdict import Case, Reply

Result = TypeVar("Result")
_THROTTLED = "more of the tenant's events wait for a model than its share of the places"


class Pool:
    """The engine of all inputs."""

    def __init__(
        self,
        score: ScoreEvents,
        *,
        limits: PoolLimits,
        deferred: DeferredEvents,
        results: Sequence[Results] = (),
        retries: RetryPolicy | None = None,
        backoff: Backoff | None = None,
        scorer: Scorer | None = None,
    ) -> None:
        self._score, self._limits, self._deferred, self._results = score, limits, deferred, results
        self._retries, self._scorer = retries or RetryPolicy(), scorer or ThreadScorer(score)
        self._flight = Flight(records=limits.records, size=limits.size, outcomes=score.outcomes, timer=score.timer)
        self._outages = Outages(score.outcomes, backoff or Backoff())
        self._turn = asyncio.Lock()
        self._to_decode = Groups[Job](size=limits.batch, linger=limits.linger)
        self._to_look_up = FairGroups[Job](size=min(limits.chunk, limits.batch))
        self._aside = SetAside(each=limits.alone, most=max(1, limits.records // 4))
        self._to_ask = Lines(each=limits.tenant_asks)
        self._to_write = Groups[Job](size=limits.batch, linger=limits.linger)
        self._to_defer = Groups[Job](size=limits.batch, linger=limits.linger)
        self._to_publish = Groups[Job](size=limits.batch)
        self._entries: Mapping[Stage, Callable[[Job], None]] = {
            Stage.FOLLOWING: _wait,
            Stage.LOOKING_UP: lambda job: self._to_look_up.put(job.tenant, job),
            # the chunk that was looked up goes on together
            Stage.EXAMINING: _wait,
            Stage.EXAMINING_ALONE: _wait,
            Stage.ASKING: lambda job: self._to_ask.put(job.tenant, lambda: self._ask(job)),
            Stage.WRITING: self._to_write.put,
            Stage.DEFERRING: self._to_defer.put,
            Stage.PUBLISHING: self._publish_later,
            Stage.ENDED: self._end,
        }

    @property
    def depth(self) -> int:
        """Records in flight."""
        return len(self._flight)

    @property
    def full(self) -> bool:
        """Whether one more record would have to wait."""
        return self._flight.full

    @property
    def waits(self) -> bool:
        """Whether records in flight wait for a store or rules that are down."""
        return self._outages.excused > 0

    async def submit(self, records: Sequence[Record]) -> list[Receipt]:
        """Admits the records as there is room; each one's receipt resolves once its outcome is durable.

        Raises `PoolClosed`; so do the receipts of records that were not stored before the process stopped.
        """
        receipts: list[Receipt] = []
        for start in range(0, len(records), self._limits.batch):
            # slice by slice, so that a long request does not keep all others waiting
            async with self._turn:
                for record in records[start : start + self._limits.batch]:
                    job = await self._flight.admit(record)
                    self._to_decode.put(job)
                    receipts.append(job.receipt)
        return receipts

    def close(self) -> None:
        """Admits no more records; `run` ends once those in flight have ended."""
        self._flight.close()

    async def run(self) -> None:
        """Works until closed and drained. When cancelled, hands all records in flight back to their senders."""
        # while chunks are examined, the next one is looked up
        preparing = [self._prepare] * (self._scorer.chunks + 1)
        steps = (self._decode, *preparing, self._examine_alone, self._write, self._defer, self._publish)
        try:
            async with asyncio.TaskGroup() as tasks:
                loops = [tasks.create_task(repeat(step)) for step in steps]
                await self._flight.drained()
                for each in loops:
                    each.cancel()
        finally:
            await self._to_ask.cancel()
            self._count_consumed(self._to_decode.drop(lambda _: True))
            self._flight.interrupt()
            self._scorer.close()

    def _advance(self, job: Job, result: StageResult) -> None:
        job.move(result)
        self._entries[job.stage](job)

    async def _decode(self) -> None:
        jobs = await self._to_decode.next()
        self._count_consumed(jobs)
        with self._score.timed("decode"):
            decoded = await self._scorer.decode([job.record for job in jobs])
        for job, each in zip(jobs, decoded, strict=True):
            if isinstance(each, Outcome):
                self._end_with(job, each)
            else:
                job.decoded = each
                self._advance(job, self._flight.lead_or_follow(job))

    def _count_consumed(self, jobs: Sequence[Job]) -> None:
        for trigger, count in Counter(job.record.trigger for job in jobs).items():
            self._score.outcomes.consumed(count, trigger)

    async def _prepare(self) -> None:
        """Takes one chunk through LOOKING_UP and EXAMINING."""
        jobs = await self._to_look_up.next()
        try:
            found = await self._patiently(lambda: self._score.look_up([job.known for job in jobs]))
        except Unavailable as error:
            lacking = isinstance(error, RulesUnavailable)
            reason = DeferredReason.RULES_UNAVAILABLE if lacking else DeferredReason.STORE_UNAVAILABLE
            self._hand_back(jobs, reason, str(error))
        except Exception as error:
            self._defer_for_bug(jobs, error)
        else:
            for job in jobs:
                self._sort(job, found)
            await self._examine([job for job in jobs if job.stage is Stage.EXAMINING], found)

    def _sort(self, job: Job, found: LookedUp) -> None:
        """Lets an event go on to EXAMINING, unless it is stored already or must wait."""
        job.found, claim = found, self._score.final_claim(job.known, found)
        if claim is not None:
            job.end = claim
            self._advance(job, StageResult.STORED)
        elif job.tenant not in found.rules:
            self._defer_later(job, DeferredReason.RULES_UNAVAILABLE, "the tenant's rules cannot be read; see the log")
        elif found.rules[job.tenant].judge.policy is JudgePolicy.LLM and self._flight.shares.throttles(job.tenant):
            # it would be deferred after it is examined, which is most of the work
            self._defer_later(job, DeferredReason.TENANT_THROTTLED, _THROTTLED)
        else:
            self._advance(job, StageResult.NEW)

    async def _examine(self, jobs: Sequence[Job], found: LookedUp) -> None:
        if not jobs:
            return
        try:
            with self._score.timed("examine"):
                judged = await self._scorer.judge([job.known for job in jobs], found)
        except Exception as error:
            self._defer_for_bug(jobs, error)
            return
        for job, each in zip(jobs, judged, strict=True):
            self._sort_judged(job, each)

    def _sort_judged(self, job: Job, judged: Evaluation | Case | Unfinished) -> None:
        if isinstance(judged, Case):
            self._ask_later(job, judged)
        elif isinstance(judged, Evaluation):
            self._write_later(job, judged)
        elif judged is Unfinished.NOT_REACHED:
            self._advance(job, StageResult.NOT_REACHED)
        elif self._aside.put(job):
            self._advance(job, StageResult.TOOK_LONG)
        else:
            self._defer_later(job, DeferredReason.TENANT_THROTTLED, "many of the tenant's events take long to score")

    async def _examine_alone(self) -> None:
        job = await self._aside.next()
        try:
            self._sort_judged(job, await self._scorer.judge_alone(job.known, job.found))
        except Exception as error:
            self._defer_for_bug([job], error)
        finally:
            self._aside.release(job)

    def _ask_later(self, job: Job, case: Case) -> None:
        if self._flight.shares.throttles(job.tenant):
            self._defer_later(job, DeferredReason.TENANT_THROTTLED, _THROTTLED)
            return
        job.case = case
        self._flight.hold_place(job)
        self._advance(job, StageResult.NEEDS_MODEL)

    async def _ask(self, job: Job) -> None:
        if self._flight.shares.is_exceeded_by(job.tenant):
            # its events filled the pool while it was active alone; now other tenants need the places
            self._defer_later(job, DeferredReason.TENANT_THROTTLED, _THROTTLED)
            return
        left = job.submitted_at + self._limits.deadline - self._score.timer()
        try:
            async with asyncio.timeout(left):
                reply = await self._score.ask(job.known, job.case)
        except TimeoutError:
            reply = DeferredReason.EVENT_DEADLINE
        try:
            self._sort_reply(job, reply)
        except Exception as error:
            self._defer_for_bug([job], error)

    def _sort_reply(self, job: Job, reply: Reply | Unscored | DeferredReason) -> None:
        if isinstance(reply, DeferredReason):
            self._defer_later(job, reply, "no model answered in time")
        else:
            self._write_later(job, self._score.evaluate_reply(job.known, job.found, job.case, reply))

    def _write_later(self, job: Job, evaluation: Evaluation) -> None:
        job.evaluation = evaluation
        self._advance(job, StageResult.EVALUATED)

    async def _write(self) -> None:
        jobs = await self._to_write.next()
        try:
            ends = await self._patiently(lambda: self._score.record([job.evaluation for job in jobs]))
        except Unavailable as error:
            self._hand_back(jobs, DeferredReason.STORE_UNAVAILABLE, str(error))
        except Exception as error:
            self._defer_for_bug(jobs, error)
        else:
            for job in jobs:
                job.end = ends[job.known.key]
                refused = isinstance(job.end, Outcome)
                self._advance(job, StageResult.HAS_OUTCOME if refused else StageResult.STORED)

    def _publish_later(self, job: Job) -> None:
        """Queues the job's result; a process without sinks, a canary, and a conflict of ids have none to publish."""
        own = isinstance(job.end, Evaluation)
        same = not isinstance(job.end, Evaluation | Outcome) and job.known.event.repeats(job.end.payload_hash)
        if self._results and job.known.event.canary is None and (own or same):
            self._to_publish.put(job)
        else:
            self._advance(job, StageResult.HAS_OUTCOME)

    async def _publish(self) -> None:
        jobs = await self._to_publish.next()
        # a sink that is down keeps its own results back and no other's
        await asyncio.gather(*(self._publish_to(sink, jobs) for sink in self._results))
        for job in jobs:
            self._advance(job, StageResult.HAS_OUTCOME)

    async def _publish_to(self, sink: Results, jobs: Sequence[Job]) -> None:
        async def publish(some: Sequence[Job]) -> None:
            ends = {job.known.key: job.end for job in some if not isinstance(job.end, Outcome)}
            await self._outages.retry(UnpublishedResults(sink, ends), patience=None)

        # a result that a bug keeps back must not keep back the others, nor its own record's outcome
        for _, error in await isolate_failures(publish, jobs, Exception):
            self._score.outcomes.failed("results", error)

    def _end(self, job: Job) -> None:
        for each in self._flight.end(job):
            self._advance(each, self._flight.lead_or_follow(each))

    def _end_with(self, job: Job, outcome: Outcome) -> None:
        job.end = outcome
        self._advance(job, StageResult.HAS_OUTCOME)

    def _hand_back(self, jobs: Sequence[Job], reason: DeferredReason, detail: str) -> None:
        """Ends these records as deferred and not kept: their senders must send them again."""
        for job in jobs:
            self._end_with(job, deferred(job.known.event, reason, detail, kept=False))

    def _defer_for_bug(self, jobs: Sequence[Job], error: Exception) -> None:
        """Counts and logs a bug, and defers the events it hit; the others go on."""
        self._score.outcomes.failed("batch", error)
        for job in jobs:
            self._defer_later(job, DeferredReason.INTERNAL_ERROR, "see the log")

    def _defer_later(self, job: Job, reason: DeferredReason, detail: str) -> None:
        """Defers the event; after its last try it is stored without a score, and handed back if that fails too."""
        kept = deferral(job.known, reason, self._retries, self._score.clock())
        if kept is not None:
            job.deferral, job.deferral_detail = kept, detail
            self._advance(job, StageResult.MUST_WAIT)
        elif job.is_last_try:
            self._hand_back([job], reason, detail)
        else:
            job.is_last_try = True
            why = tried_too_often(reason, job.record.attempts)
            job.evaluation = self._score.evaluation(job.known, job.found, why)
            self._advance(job, StageResult.TRIED_TOO_OFTEN)

    async def _defer(self) -> None:
        jobs = await self._to_defer.next()
        for job, error in await isolate_failures(self._keep, jobs, RefusedByStore):
            self._end_with(job, refused_by_store(job.known.event, error))

    async def _keep(self, jobs: Sequence[Job]) -> None:
        """Stores these jobs' deferrals and ends them; raises `RefusedByStore`."""
        try:
            taken = await self._patiently(lambda: self._deferred.defer([job.deferral for job in jobs]))
        except RefusedByStore:
            raise
        except Unavailable as error:
            self._hand_back(jobs, DeferredReason.STORE_UNAVAILABLE, str(error))
        except Exception as error:
            self._score.outcomes.failed("deferral", error)
            self._hand_back(jobs, DeferredReason.INTERNAL_ERROR, "see the log")
        else:
            for job in jobs:
                event, reason = job.known.event, job.deferral.reason
                kept = deferred(event, reason, job.deferral_detail, kept=True)
                self._end_with(job, id_conflict(event) if job.known.key in taken else kept)

    async def _patiently(self, call: Callable[[], Awaitable[Result]]) -> Result:
        return await self._outages.retry(call, patience=self._limits.patience)


def _wait(job: Job) -> None:
    del job
