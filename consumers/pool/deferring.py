"""Events put off and tried again: what is kept of one, what it becomes when tried often enough, and the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import cast

import orjson

from consumers.errors import Unavailable
from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind, Trigger
from consumers.evaluation.retries import Retries
from consumers.judging.breaker import BreakerState
from consumers.pool.ports import DeferredEvents
from consumers.ports import Outcomes
from consumers.score_events import Known, Record
from scoring.query import Unscored, UnscoredReason

_MOST_STEPS = 3
"""Steps of the growing wait for an event that lets others pass: it is tried as soon as there may be room."""
_SAMPLEDRATE, _TRACEPARENT = "sampledrate", "traceparent"
"""Keys beside the event's own under which a deferral keeps what its envelope said."""


def deferral(known: Known, reason: DeferredReason, retries: Retries, now: datetime) -> Deferral | None:
    """What is kept of an event until it is tried again; `None` where it was tried often enough.

    An event that only lets others pass was not tried, and so is never given up.
    """
    tried = attempts = known.record.attempts
    if reason is DeferredReason.TENANT_THROTTLED:
        tried, attempts = min(tried, retries.attempts - 1, _MOST_STEPS), max(0, tried - 1)
    due = retries.due(tried, now, known.key)
    if due is None:
        return None
    return Deferral(
        tenant=known.event.tenant,
        source=known.event.source,
        event_id=known.event.event_id,
        payload=_payload(known),
        payload_hash=known.payload_hash,
        timestamp=known.record.timestamp,
        reason=reason,
        due=due,
        attempts=attempts,
    )


def _payload(known: Known) -> bytes:
    document = known.event.model_dump()
    if known.sampledrate is not None:
        document[_SAMPLEDRATE] = known.sampledrate
    if known.traceparent is not None:
        document[_TRACEPARENT] = known.traceparent
    return orjson.dumps(document, option=orjson.OPT_SORT_KEYS | orjson.OPT_UTC_Z)


def record_of(kept: Deferral) -> Record:
    """A deferral as a record to consume anew."""
    document = cast("dict[str, object]", orjson.loads(kept.payload))
    rate, traceparent = document.pop(_SAMPLEDRATE, None), document.pop(_TRACEPARENT, None)
    return Record(
        payload=document,
        require_id=True,
        timestamp=kept.timestamp,
        trigger=Trigger.DEFERRED,
        size=len(kept.payload),
        attempts=kept.attempts,
        sampledrate=rate if isinstance(rate, int) else None,
        traceparent=traceparent if isinstance(traceparent, str) else None,
    )


_LAST: dict[DeferredReason, UnscoredReason] = {
    DeferredReason.INTERNAL_ERROR: UnscoredReason.SCORER_FAILED,
    DeferredReason.RULES_UNAVAILABLE: UnscoredReason.SCORER_FAILED,
}


def given_up(reason: DeferredReason, attempts: int) -> Unscored:
    """What an event is stored as when it was tried often enough."""
    detail = f"tried {attempts + 1} times; the last time: {reason.value}"
    return Unscored(_LAST.get(reason, UnscoredReason.JUDGE_UNAVAILABLE), detail)


async def count_only(kept: Deferral, outcome: Outcome) -> None:
    """For a process without dead letters: the outcome is counted."""


def _has_ended(receipt: asyncio.Future[Outcome]) -> bool:
    """With an outcome: the engine may have stopped before."""
    return receipt.done() and not receipt.cancelled() and receipt.exception() is None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryDeferred:
    """Takes events that are due and consumes them anew, for as long as it runs."""

    deferred: DeferredEvents
    submit: Callable[[Sequence[Record]], Awaitable[Sequence[asyncio.Future[Outcome]]]]
    outcomes: Outcomes
    clock: Callable[[], datetime]
    breaker: Callable[[], BreakerState]
    """Whether the model that most of them wait for is asked at all."""
    on_dead_letter: Callable[[Deferral, Outcome], Awaitable[None]] = count_only
    """Keeps what can never be an evaluation, with why; raises `Unavailable`."""
    most: int = 200
    """Events taken at once."""
    few: int = 10
    """The same while the model is left alone: those that wait for it would only be put off again, for twice as long."""
    lease: float = 120.0
    """Seconds after which an event that was taken and did not end, as where its process died, is due again."""
    handed_back: float = 5.0
    """The same of one that the pool handed back."""
    pause: float = 2.0
    """Seconds between looks while nothing is due."""

    async def run(self) -> None:
        """Runs until cancelled; a store that is down is asked again later."""
        while True:
            try:
                taken = await self()
            except Unavailable:
                self.outcomes.stalled("deferred")
                taken = 0
            except Exception as error:
                self.outcomes.failed("deferred", error)
                taken = 0
            if taken < self.most:
                await asyncio.sleep(self.pause)

    async def __call__(self) -> int:
        """Consumes what is due now, up to `most` events, and returns how many have ended for good once all have ended.

        Those put off again are not among them: taking more of the same would only wear the store. What has not ended
        when its lease does is due again, and waited for no longer: it keeps none of the others from their turn.
        """
        limit = self.most if self.breaker() is BreakerState.CLOSED else self.few
        due = await self.deferred.take_due(self.clock(), limit, self.lease)
        receipts = await self.submit([record_of(each) for each in due])
        if receipts:
            await asyncio.wait(receipts, timeout=self.lease)
        ended = [(kept, each.result()) for kept, each in zip(due, receipts, strict=True) if _has_ended(each)]
        for_good = [(kept, end) for kept, end in ended if end.kind is not OutcomeKind.DEFERRED]
        await self._close(for_good)
        await self._return([kept for kept, end in ended if end.kind is OutcomeKind.DEFERRED and not end.kept])
        return len(for_good)

    async def _close(self, ended: Sequence[tuple[Deferral, Outcome]]) -> None:
        """Drops them only now that results are published and the dead buried: a process that dies leaves them due."""
        for kept, end in ended:
            if end.kind is OutcomeKind.DEAD_LETTERED:
                await self._patiently(partial(self.on_dead_letter, kept, end))
        await self._patiently(lambda: self.deferred.drop([kept.key for kept, _ in ended]))

    async def _return(self, handed_back: Sequence[Deferral]) -> None:
        """Puts them off anew, so that none waits for its lease to end."""
        due = self.clock() + timedelta(seconds=self.handed_back)
        await self._patiently(lambda: self.deferred.defer([replace(kept, due=due) for kept in handed_back]))

    async def _patiently(self, call: Callable[[], Awaitable[object]]) -> None:
        while True:
            try:
                await call()
            except Unavailable:
                self.outcomes.stalled("deferred")
                await asyncio.sleep(self.pause)
            else:
                return
