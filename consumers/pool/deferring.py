"""Deferred events: what is stored of them, their result after the last try, and the loop that tries them again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import cast

import orjson

from consumers.decoding import Known, Record
from consumers.errors import Unavailable
from consumers.evaluation.deferrals import Deferral, RetryPolicy
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind, Trigger, count_only
from consumers.judging.breaker import BreakerState
from consumers.pool.ports import DeferredEvents
from consumers.ports import Outcomes
from consumers.queueing.retrying import Backoff, retry_while_unavailable, work_for_ever
from scoring.query import Unscored, UnscoredReason

_LONGEST_THROTTLED_WAIT = 3
"""Most steps of the growing wait for a throttled event: it is tried again as soon as there may be room."""
_SAMPLEDRATE, _TRACEPARENT = "sampledrate", "traceparent"
"""Keys of a stored payload, beside the event's own, that keep what its envelope held."""


def deferral(known: Known, reason: DeferredReason, retries: RetryPolicy, now: datetime) -> Deferral | None:
    """The deferral of an event until its next try; `None` after its last try.

    A throttled event was not tried, so it is never given up.
    """
    tried = attempts = known.record.attempts
    if reason is DeferredReason.TENANT_THROTTLED:
        tried, attempts = min(tried, retries.attempts - 1, _LONGEST_THROTTLED_WAIT), max(0, tried - 1)
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
    """The record that tries a deferred event again."""
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


_AFTER_LAST_TRY: dict[DeferredReason, UnscoredReason] = {
    DeferredReason.INTERNAL_ERROR: UnscoredReason.SCORER_FAILED,
    DeferredReason.RULES_UNAVAILABLE: UnscoredReason.SCORER_FAILED,
}


def tried_too_often(reason: DeferredReason, attempts: int) -> Unscored:
    """Why an event is stored without a score after its last try."""
    detail = f"tried {attempts + 1} times; the last time: {reason.value}"
    return Unscored(_AFTER_LAST_TRY.get(reason, UnscoredReason.JUDGE_UNAVAILABLE), detail)


def _has_outcome(receipt: asyncio.Future[Outcome]) -> bool:
    """A receipt without an outcome was cancelled, or its pool has stopped."""
    return receipt.done() and not receipt.cancelled() and receipt.exception() is None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryDeferred:
    """Submits deferred events that are due, for as long as it runs."""

    deferred: DeferredEvents
    submit: Callable[[Sequence[Record]], Awaitable[Sequence[asyncio.Future[Outcome]]]]
    outcomes: Outcomes
    clock: Callable[[], datetime]
    breaker: Callable[[], BreakerState]
    """State of the breaker of the model that most deferred events wait for."""
    on_dead_letter: Callable[[Deferral, Outcome], Awaitable[None]] = count_only
    """Keeps an event that can never be an evaluation, with the reason; raises `Unavailable`."""
    most: int = 200
    """Most events tried together."""
    few: int = 10
    """The same while the breaker is not closed: most would only be deferred again, for twice as long."""
    lease: float = 120.0
    """Seconds after which an event that was taken and has not ended is due again: its process may have died."""
    handed_back: float = 5.0
    """Seconds after which an event that the pool handed back is due again."""
    pause: float = 2.0
    """Seconds between looks while nothing is due."""

    async def run(self) -> None:
        """Runs until cancelled; after an outage of the store or a bug it goes on after a pause."""

        async def retry_due() -> bool:
            return await self() >= self.most

        await work_for_ever(
            retry_due,
            pause=self.pause,
            on_unavailable=self._note_stall,
            on_bug=partial(self.outcomes.failed, "deferred"),
        )

    async def __call__(self) -> int:
        """Tries events that are due, up to `most`, and returns how many ended for good.

        Events deferred again do not count: trying more of them at once would only load the store. Waits until all have
        ended, but no longer than their lease; those that have not ended by then are due again.
        """
        limit = self.most if self.breaker() is BreakerState.CLOSED else self.few
        due = await self.deferred.lease_due(self.clock(), limit, self.lease)
        receipts = await self.submit([record_of(each) for each in due])
        if receipts:
            await asyncio.wait(receipts, timeout=self.lease)
        ended = [(kept, each.result()) for kept, each in zip(due, receipts, strict=True) if _has_outcome(each)]
        for_good = [(kept, outcome) for kept, outcome in ended if outcome.kind is not OutcomeKind.DEFERRED]
        handed_back = [kept for kept, outcome in ended if outcome.kind is OutcomeKind.DEFERRED and not outcome.kept]
        await self._drop(for_good)
        await self._defer_again(handed_back)
        return len(for_good)

    async def _drop(self, ended: Sequence[tuple[Deferral, Outcome]]) -> None:
        """Drops deferrals after their dead letters are published: if the process dies before that, they stay due."""
        for kept, outcome in ended:
            if outcome.kind is OutcomeKind.DEAD_LETTERED:
                await self._retry(partial(self.on_dead_letter, kept, outcome))
        await self._retry(lambda: self.deferred.drop([kept.key for kept, _ in ended]))

    async def _defer_again(self, handed_back: Sequence[Deferral]) -> None:
        """Makes these due soon: they need not wait for the end of their lease."""
        due = self.clock() + timedelta(seconds=self.handed_back)
        await self._retry(lambda: self.deferred.defer([replace(kept, due=due) for kept in handed_back]))

    async def _retry(self, call: Callable[[], Awaitable[object]]) -> None:
        backoff = Backoff(first=self.pause, most=self.pause)
        await retry_while_unavailable(call, backoff, on_failure=self._note_stall)

    def _note_stall(self, error: Unavailable) -> None:
        self.outcomes.stalled("deferred", error)
