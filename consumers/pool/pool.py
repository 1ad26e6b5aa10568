"""The engine of all ways in: records in, one receipt each, resolved when the record's outcome is durable.

Batches are decoded, looked up, examined and judged away from the event loop; what needs a model is asked for one by
one; whatever is finished, of any batch, is written by one writer in groups. Nothing is dropped while a dependency is
down: what was taken waits, and `submit` holds back those who send.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from consumers.errors import RefusedByStore, RulesUnavailable, StoreUnavailable, Unavailable
from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.evaluation import Claim, Evaluation, EventKey
from consumers.evaluation.outcomes import DeferredReason, Outcome
from consumers.evaluation.retries import Backoff, Retries
from consumers.pool.deferring import deferral, given_up
from consumers.pool.flight import Flight, Job, Receipt
from consumers.pool.ports import DeferredEvents, Results
from consumers.pool.scorers import Scorer, ThreadScorer
from consumers.queueing.groups import FairGroups, Groups
from consumers.queueing.lines import Lines
from consumers.score_events import End, LookedUp, Record, ScoreEvents, conflict, deferred, refused
from scoring.query import Unscored
from scoring.rules import JudgePolicy
from scoring.verdict import Case, Reply

Result = TypeVar("Result")
_OVER_SHARE = "more of the tenant's events wait for a model than its share of the places"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLimits:
    """How much is in flight, and for how long."""

    records: int = 2000
    size: int = 64 * 1024 * 1024
    """Bytes of all records in flight; one alone may be larger."""
    batch: int = 200
    """Records decoded together, and rows written together."""
    chunk: int = 64
    """Events looked up and examined together: what another tenant's event waits for at most."""
    linger: float = 0.005
    """Seconds a batch waits for more."""
    tenant_asks: int = 200
    """Events of one tenant that are at a model, or next to be, at once: with more than its calls, slots stay taken."""
    deadline: float = 60.0
    """Seconds until an event that waits for a model is put off."""
    patience: float | None = 2.0
    """Seconds to wait for a store or rules that are down before records are handed back; `None` waits for ever."""


class Pool:
    """Bounded, fair between tenants, and patient."""

    def __init__(
        self,
        score: ScoreEvents,
        *,
        limits: PoolLimits,
        deferred: DeferredEvents,
        results: Results | None = None,
        retries: Retries | None = None,
        backoff: Backoff | None = None,
        scorer: Scorer | None = None,
    ) -> None:
        self._score, self._limits, self._deferred, self._results = score, limits, deferred, results
        self._retries, self._backoff = retries or Retries(), backoff or Backoff()
        self._flight = Flight(records=limits.records, size=limits.size, outcomes=score.outcomes, timer=score.timer)
        self._turn = asyncio.Lock()
        self._waits = 0
        self._decoding = Groups[Job](size=limits.batch, linger=limits.linger)
        self._preparing = FairGroups[Job](size=min(limits.chunk, limits.batch))
        self._asking = Lines(each=limits.tenant_asks)
        self._writing = Groups[tuple[Job, Evaluation]](size=limits.batch, linger=limits.linger)
        self._putting_off = Groups[tuple[Job, Deferral, str]](size=limits.batch, linger=limits.linger)
        self._publishing = Groups[tuple[Job, End]](size=limits.batch)
        self._scorer = scorer or ThreadScorer(score)

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
        """Whether the store or the rules are away, and what was taken waits for them."""
        return self._waits > 0

    async def submit(self, records: Sequence[Record]) -> list[Receipt]:
        """Takes the records as room allows; each one's receipt resolves once its outcome is durable.

        Raises `PoolClosed`; so do receipts of records that were not stored before the process stopped.
        """
        receipts: list[Receipt] = []
        for start in range(0, len(records), self._limits.batch):
            # slice by slice, so that a long request does not keep all others waiting
            async with self._turn:
                for record in records[start : start + self._limits.batch]:
                    job = await self._flight.take(record)
                    self._decoding.put(job)
                    receipts.append(job.receipt)
        return receipts

    def close(self) -> None:
        """Takes no more records; `run` ends when those taken have ended."""
        self._flight.close()

    async def run(self) -> None:
        """Works until closed and drained; what is under way when it is cancelled is handed back to its senders."""
        # while chunks are judged, the next one is looked up
        preparing = [self._prepare] * (self._scorer.chunks + 1)
        steps = (self._decode, *preparing, self._write, self._put_off_all, self._publish)
        try:
            async with asyncio.TaskGroup() as tasks:
                loops = [tasks.create_task(_for_ever(step)) for step in steps]
                await self._flight.landed()
                for each in loops:
                    each.cancel()
        finally:
            await self._asking.cancel()
            self._consume(self._decoding.drop(lambda _: True))
            self._flight.interrupt()
            self._scorer.close()

    async def _patiently(self, call: Callable[[], Awaitable[Result]]) -> Result:
        """What `call` gives, asked again while a dependency is down; raises `Unavailable` when patience ends."""
        started, failures = self._score.timer(), 0
        try:
            while True:
                try:
                    return await call()
                except Unavailable as error:
                    self._note_failure(error, failures)
                    failures += 1
                    patience = self._limits.patience
                    if patience is not None and self._score.timer() - started >= patience:
                        raise
                await asyncio.sleep(self._backoff.wait(failures))
        finally:
            self._waits -= failures > 0

    def _note_failure(self, error: Unavailable, before: int) -> None:
        self._score.outcomes.stalled(type(error).__name__)
        self._waits += before == 0

    async def _decode(self) -> None:
        jobs = await self._decoding.next()
        self._consume(jobs)
        with self._score.timed("decode"):
            decoded = await self._scorer.decode([job.record for job in jobs])
        self._flight.end([(job, each) for job, each in zip(jobs, decoded, strict=True) if isinstance(each, Outcome)])
        for job, each in zip(jobs, decoded, strict=True):
            if not isinstance(each, Outcome):
                job.decoded = each
                self._route(job)

    def _consume(self, jobs: Sequence[Job]) -> None:
        for trigger, count in Counter(job.record.trigger for job in jobs).items():
            self._score.outcomes.consumed(count, trigger)

    def _route(self, job: Job) -> None:
        if self._flight.leads(job):
            self._preparing.put(job.tenant, job)

    async def _prepare(self) -> None:
        jobs = await self._preparing.next()
        try:
            found = await self._patiently(lambda: self._score.look_up([job.known for job in jobs]))
        except Unavailable as error:
            lacking = isinstance(error, RulesUnavailable)
            reason = DeferredReason.RULES_UNAVAILABLE if lacking else DeferredReason.STORE_UNAVAILABLE
            self._hand_back(jobs, reason, str(error))
        except Exception as error:
            self._failed(jobs, error)
        else:
            await self._judge([job for job in jobs if self._is_new(job, found)], found)

    def _is_new(self, job: Job, found: LookedUp) -> bool:
        job.found, claim = found, self._score.standing(job.known, found)
        if claim is not None:
            self._settle(job, claim)
        elif job.tenant not in found.rules:
            self._put_off(job, DeferredReason.RULES_UNAVAILABLE, "the tenant's rules cannot be read; see the log")
        elif found.rules[job.tenant].judge.policy is JudgePolicy.LLM and self._flight.shares.over(job.tenant):
            # it would be put off once it is examined, which is most of the work
            self._put_off(job, DeferredReason.TENANT_THROTTLED, _OVER_SHARE)
        else:
            return True
        return False

    async def _judge(self, jobs: Sequence[Job], found: LookedUp) -> None:
        if not jobs:
            return
        try:
            with self._score.timed("examine"):
                judged = await self._scorer.judge([job.known for job in jobs], found)
        except Exception as error:
            self._failed(jobs, error)
            return
        for job, each in zip(jobs, judged, strict=True):
            if isinstance(each, Case):
                self._ask_later(job, each)
            else:
                self._writing.put((job, each))

    def _ask_later(self, job: Job, case: Case) -> None:
        if self._flight.shares.over(job.tenant):
            self._put_off(job, DeferredReason.TENANT_THROTTLED, _OVER_SHARE)
        else:
            self._flight.wait_for_model(job)
            self._asking.put(job.tenant, lambda: self._ask(job, case))

    async def _ask(self, job: Job, case: Case) -> None:
        if self._flight.shares.exceeds(job.tenant):
            # its line filled the pool while it was alone; now others need the places
            self._put_off(job, DeferredReason.TENANT_THROTTLED, _OVER_SHARE)
            return
        left = job.taken_at + self._limits.deadline - self._score.timer()
        try:
            async with asyncio.timeout(left):
                reply = await self._score.ask(job.known, case)
        except TimeoutError:
            reply = DeferredReason.EVENT_DEADLINE
        try:
            self._replied(job, case, reply)
        except Exception as error:
            self._failed([job], error)

    def _replied(self, job: Job, case: Case, reply: Reply | Unscored | DeferredReason) -> None:
        if isinstance(reply, DeferredReason):
            self._put_off(job, reply, "no model answered in time")
        else:
            self._writing.put((job, self._score.concluded(job.known, job.found, case, reply)))

    async def _write(self) -> None:
        group = await self._writing.next()
        jobs = [job for job, _ in group]
        try:
            ends = await self._patiently(lambda: self._score.record([each for _, each in group]))
        except Unavailable as error:
            self._hand_back(jobs, DeferredReason.STORE_UNAVAILABLE, str(error))
        except Exception as error:
            self._failed(jobs, error)
        else:
            for job in jobs:
                self._settle(job, ends[job.known.key])

    def _settle(self, job: Job, end: End) -> None:
        same = isinstance(end, Claim) and job.known.event.repeats(end.payload_hash)
        if self._results is not None and (same or isinstance(end, Evaluation)):
            self._publishing.put((job, end))
        else:
            self._conclude(job, end)

    async def _publish(self) -> None:
        group = await self._publishing.next()
        await self._tell({job.known.key: end for job, end in group if not isinstance(end, Outcome)})
        for job, end in group:
            self._conclude(job, end)

    async def _tell(self, ends: Mapping[EventKey, Evaluation | Claim]) -> None:
        """Publishes these, for as long as it takes; one that a bug keeps back holds up none of the others."""
        try:
            await self._published(ends)
        except Exception as error:
            self._score.outcomes.failed("results", error)
            if len(ends) > 1:
                keys = list(ends)
                for half in (keys[: len(keys) // 2], keys[len(keys) // 2 :]):
                    await self._tell({key: ends[key] for key in half})

    async def _published(self, ends: Mapping[EventKey, Evaluation | Claim]) -> None:
        failures, waits = 0, False
        try:
            while self._results is not None:
                try:
                    return await self._results.publish(ends)
                except Unavailable as error:
                    self._score.outcomes.stalled(type(error).__name__)
                    # of Kafka the drivers know whether it answers; one that refuses results must not be excused
                    waits = isinstance(error, StoreUnavailable)
                    self._waits += waits
                failures += 1
                await asyncio.sleep(self._backoff.wait(failures))
                self._waits -= waits
                waits = False
        finally:
            self._waits -= waits

    def _conclude(self, job: Job, end: End) -> None:
        for each in self._flight.conclude(job, end):
            self._route(each)

    def _failed(self, jobs: Sequence[Job], error: Exception) -> None:
        """A bug must not stop the stream: it is told of, and the events are put off."""
        self._score.outcomes.failed("batch", error)
        for job in jobs:
            self._put_off(job, DeferredReason.INTERNAL_ERROR, "see the log")

    def _hand_back(self, jobs: Sequence[Job], reason: DeferredReason, detail: str) -> None:
        for job in jobs:
            self._conclude(job, deferred(job.known, reason, detail, kept=False))

    def _put_off(self, job: Job, reason: DeferredReason, detail: str) -> None:
        kept = deferral(job.known, reason, self._retries, self._score.clock())
        if kept is not None:
            self._putting_off.put((job, kept, detail))
        elif job.given_up:
            self._hand_back([job], reason, detail)
        else:
            job.given_up = True
            why = given_up(reason, job.record.attempts)
            self._writing.put((job, self._score.unscored(job.known, job.found, why)))

    async def _put_off_all(self) -> None:
        await self._keep(await self._putting_off.next())

    async def _keep(self, group: Sequence[tuple[Job, Deferral, str]]) -> None:
        jobs = [job for job, _, _ in group]
        try:
            taken = await self._patiently(lambda: self._deferred.defer([kept for _, kept, _ in group]))
        except RefusedByStore as error:
            await self._keep_apart(group, error)
        except Unavailable as error:
            self._hand_back(jobs, DeferredReason.STORE_UNAVAILABLE, str(error))
        except Exception as error:
            self._score.outcomes.failed("deferral", error)
            self._hand_back(jobs, DeferredReason.INTERNAL_ERROR, "see the log")
        else:
            for job, kept, detail in group:
                other = job.known.key in taken
                self._conclude(
                    job, conflict(job.known) if other else deferred(job.known, kept.reason, detail, kept=True)
                )

    async def _keep_apart(self, group: Sequence[tuple[Job, Deferral, str]], error: RefusedByStore) -> None:
        if len(group) == 1:
            self._conclude(group[0][0], refused(group[0][0].known, error))
            return
        half = len(group) // 2
        await self._keep(group[:half])
        await self._keep(group[half:])


async def _for_ever(step: Callable[[], Coroutine[None, None, None]]) -> None:
    while True:
        await step()
