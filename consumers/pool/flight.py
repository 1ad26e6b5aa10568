"""The records in flight: the room they use, which of them belong to one event, and their receipts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from consumers.decoding import Known, Record
from consumers.errors import Unavailable
from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.event_evaluation import Evaluation, EventKey
from consumers.evaluation.event_outcomes import Standing, deferred, outcome_of
from consumers.evaluation.outcomes import DeferredReason, Outcome
from consumers.pool.stages import TRANSITIONS, Stage, StageResult
from consumers.ports import Outcomes
from consumers.queueing.shares import Room, Shares
from consumers.score_events import LookedUp
from scoring.verdict import Case

Receipt: TypeAlias = "asyncio.Future[Outcome]"


class PoolClosed(Unavailable):
    """The pool accepts no more records."""


@dataclass(slots=True, eq=False)
class Job:
    """One record in flight, with what each stage adds. Reading what no stage has added yet is a bug."""

    record: Record
    receipt: Receipt
    submitted_at: float
    stage: Stage = Stage.DECODING
    decoded: Known | None = None
    """The event, once the record is decoded."""
    found: LookedUp = field(default_factory=lambda: LookedUp({}, {}))
    case: Case = field(init=False)
    """What the model is asked about."""
    evaluation: Evaluation = field(init=False)
    """The row to write."""
    deferral: Deferral = field(init=False)
    deferral_detail: str = field(init=False)
    end: Standing | Outcome = field(init=False)
    """What is stored under its key, or why nothing is."""
    followers: list[Job] = field(default_factory=list["Job"])
    """Records of the same event that arrived while this one was in flight."""
    holds_place: bool = False
    """Whether it holds one of the places for events that wait for a model."""
    is_last_try: bool = False
    """Whether it is stored without a score because it was tried too often."""

    @property
    def known(self) -> Known:
        """The decoded event."""
        assert self.decoded is not None  # noqa: S101 no stage after DECODING sees a record that is not an event
        return self.decoded

    @property
    def tenant(self) -> str:
        """The event's tenant."""
        return self.known.event.tenant

    def move(self, result: StageResult) -> None:
        """Enters the stage that follows this result of its present one."""
        self.stage = TRANSITIONS[self.stage][result]


class Flight:
    """All records in flight, limited in number and bytes."""

    def __init__(self, *, records: int, size: int, outcomes: Outcomes, timer: Callable[[], float]) -> None:
        self._room = Room(most=records, most_bytes=size)
        self.shares = Shares(places=records)
        self._outcomes, self._timer = outcomes, timer
        self._jobs: set[Job] = set()
        self._leaders: dict[EventKey, Job] = {}
        self._freed, self._drained = asyncio.Event(), asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        return self._room.held

    @property
    def full(self) -> bool:
        """Whether another record would have to wait."""
        return not self._room.fits(0)

    async def admit(self, record: Record) -> Job:
        """Waits for room and makes the record a job; raises `PoolClosed`."""
        while not self._closed and not self._room.fits(record.size):
            self._freed.clear()
            await self._freed.wait()
        if self._closed:
            raise PoolClosed("the service is shutting down: send it again")
        job = Job(record, asyncio.get_running_loop().create_future(), self._timer())
        self._room.admit(record.size)
        self._jobs.add(job)
        return job

    def close(self) -> None:
        """Admits no more records."""
        self._closed = True
        self._freed.set()
        self._note_drained()

    async def drained(self) -> None:
        """Returns once the flight is closed and every record has ended."""
        await self._drained.wait()

    def lead_or_follow(self, job: Job) -> StageResult:
        """Makes the job the leader of its event, or a follower of the leader."""
        self.shares.note_active(job.tenant, self._timer())
        leader = self._leaders.setdefault(job.known.key, job)
        if leader is job:
            return StageResult.FIRST_OF_EVENT
        leader.followers.append(job)
        return StageResult.ANOTHER_OF_EVENT

    def hold_place(self, job: Job) -> None:
        """Gives the job one of the places for events that wait for a model."""
        job.holds_place = True
        self.shares.occupy(job.tenant)

    def end(self, job: Job) -> list[Job]:
        """Ends a job with its `end`, and its followers.

        Returns the followers that must be scored themselves: those with other content whose key is still free, and
        those with the question that the stored row lacks.
        """
        if job.decoded is None:
            assert isinstance(job.end, Outcome)  # noqa: S101 nothing is stored of a record that is not an event
            self._resolve([(job, job.end)])
            return []
        del self._leaders[job.known.key]
        ended, others = [(job, _outcome(job, job.end))], list[Job]()
        content = job.known.payload_hash
        for each in job.followers:
            key_is_free = isinstance(job.end, Outcome) and each.known.payload_hash != content
            if key_is_free or each.known.event.completes(content):
                others.append(each)
            else:
                each.move(StageResult.HAS_OUTCOME)
                ended.append((each, _outcome(each, job.end, is_writer=False)))
        self._resolve(ended)
        return others

    def _resolve(self, ended: Sequence[tuple[Job, Outcome]]) -> None:
        """Counts these outcomes, frees the jobs' room and resolves their receipts."""
        self._count(ended)
        for job, outcome in ended:
            self._jobs.discard(job)
            self._room.release(job.record.size)
            if job.holds_place:
                self.shares.vacate(job.tenant)
            if not job.receipt.done():
                job.receipt.set_result(outcome)
        self._freed.set()
        self._note_drained()

    def interrupt(self) -> None:
        """Ends every record that is still in flight as deferred; its receipt raises `PoolClosed`."""
        self.close()
        error = PoolClosed("the service stopped before the event was stored: send it again")
        left, self._jobs = self._jobs, set[Job]()
        self._count([(job, _interrupted(job)) for job in left])
        for job in left:
            if not job.receipt.done():
                job.receipt.set_exception(error)
        self._note_drained()

    def _count(self, ended: Sequence[tuple[Job, Outcome]]) -> None:
        self._outcomes.ended([_of_record(job, outcome) for job, outcome in ended])

    def _note_drained(self) -> None:
        if self._closed and not self._jobs:
            self._drained.set()


def _outcome(job: Job, end: Standing | Outcome, *, is_writer: bool = True) -> Outcome:
    return end if isinstance(end, Outcome) else outcome_of(job.known.event, end, is_writer=is_writer)


def _interrupted(job: Job) -> Outcome:
    event = job.decoded.event if job.decoded is not None else None
    return deferred(event, DeferredReason.INTERRUPTED, "the process stopped", kept=False)


def _of_record(job: Job, outcome: Outcome) -> Outcome:
    timings = job.decoded.timings if job.decoded is not None else outcome.timings
    return replace(outcome, trigger=job.record.trigger, timings=timings)
