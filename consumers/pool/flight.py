"""The records on their way: the room they hold, which are of one event, and the receipt each one ends with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from consumers.errors import Unavailable
from consumers.evaluation.evaluation import EventKey
from consumers.evaluation.outcomes import DeferredReason, Outcome
from consumers.ports import Outcomes
from consumers.queueing.shares import Room, Shares
from consumers.score_events import End, Known, LookedUp, Record, deferred, outcome_of

Receipt: TypeAlias = "asyncio.Future[Outcome]"


class PoolClosed(Unavailable):
    """The pool takes no more records."""


@dataclass(slots=True, eq=False)
class Job:
    """One record on its way."""

    record: Record
    receipt: Receipt
    taken_at: float
    decoded: Known | None = None
    found: LookedUp = field(default_factory=lambda: LookedUp({}, {}))
    followers: list[Job] = field(default_factory=list["Job"])
    """Records of the same event that came while this one was on its way."""
    waits: bool = False
    """It holds one of the places for events that wait for a model."""
    given_up: bool = False
    """It was tried often enough, and is stored without a score."""

    @property
    def known(self) -> Known:
        """The event, of a record that is past decoding."""
        assert self.decoded is not None  # noqa: S101 no step after decoding sees a record that is none
        return self.decoded

    @property
    def tenant(self) -> str:
        """Whose event it is."""
        return self.known.event.tenant


class Flight:
    """What is in flight, with room for so many records and bytes."""

    def __init__(self, *, records: int, size: int, outcomes: Outcomes, timer: Callable[[], float]) -> None:
        self._room = Room(most=records, most_bytes=size)
        self.shares = Shares(places=records)
        self._outcomes, self._timer = outcomes, timer
        self._jobs: set[Job] = set()
        self._leaders: dict[EventKey, Job] = {}
        self._freed, self._landed = asyncio.Event(), asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        return self._room.held

    @property
    def full(self) -> bool:
        """Whether one more record would have to wait."""
        return not self._room.fits(0)

    async def take(self, record: Record) -> Job:
        """Waits for room and takes the record; raises `PoolClosed`."""
        while not self._closed and not self._room.fits(record.size):
            self._freed.clear()
            await self._freed.wait()
        if self._closed:
            raise PoolClosed("the service is shutting down: send it again")
        job = Job(record, asyncio.get_running_loop().create_future(), self._timer())
        self._room.take(record.size)
        self._jobs.add(job)
        return job

    def close(self) -> None:
        """Takes no more records."""
        self._closed = True
        self._freed.set()
        self._note_landing()

    async def landed(self) -> None:
        """Returns when it is closed and every record has ended."""
        await self._landed.wait()

    def leads(self, job: Job) -> bool:
        """Whether the job is the one of its event to be worked on; else it follows the one that is."""
        self.shares.saw(job.tenant, self._timer())
        leader = self._leaders.setdefault(job.known.key, job)
        if leader is not job:
            leader.followers.append(job)
        return leader is job

    def wait_for_model(self, job: Job) -> None:
        """The job takes one of the places for events that wait for a model."""
        job.waits = True
        self.shares.take(job.tenant)

    def conclude(self, job: Job, end: End) -> list[Job]:
        """Ends the job and all records of the same event; returns those that said something else and must go on.

        Only where nothing was stored do they go on, else their id is taken; or where they hold its question.
        """
        del self._leaders[job.known.key]
        ended, others = [(job, outcome_of(job.known, end))], list[Job]()
        for each in job.followers:
            said = job.known.payload_hash
            other = isinstance(end, Outcome) and each.known.payload_hash != said
            if other or each.known.event.completes(said):
                others.append(each)
            else:
                ended.append((each, outcome_of(each.known, end, owner=False)))
        self.end(ended)
        return others

    def end(self, ended: Sequence[tuple[Job, Outcome]]) -> None:
        """Counts how these records ended and resolves their receipts."""
        self._count(ended)
        for job, outcome in ended:
            self._jobs.discard(job)
            self._room.give_back(job.record.size)
            if job.waits:
                self.shares.give_back(job.tenant)
            if not job.receipt.done():
                job.receipt.set_result(outcome)
        self._freed.set()
        self._note_landing()

    def interrupt(self) -> None:
        """Hands everything that has not ended back to its sender."""
        self.close()
        fault = PoolClosed("the service stopped before the event was stored: send it again")
        left, self._jobs = self._jobs, set[Job]()
        why = DeferredReason.INTERRUPTED
        self._count([(job, deferred(job.decoded, why, "the process stopped", kept=False)) for job in left])
        for job in left:
            if not job.receipt.done():
                job.receipt.set_exception(fault)
        self._note_landing()

    def _count(self, ended: Sequence[tuple[Job, Outcome]]) -> None:
        self._outcomes.ended([_told(job, outcome) for job, outcome in ended])

    def _note_landing(self) -> None:
        if self._closed and not self._jobs:
            self._landed.set()


def _told(job: Job, outcome: Outcome) -> Outcome:
    timings = job.decoded.timings if job.decoded is not None else outcome.timings
    return replace(outcome, trigger=job.record.trigger, timings=timings)
