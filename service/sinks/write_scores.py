"""The writer of all sinks: takes what waits for one, sends it, and keeps what could not be sent for later."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal, Protocol, TypeAlias
from uuid import UUID

from consumers.queueing.retrying import Backoff
from service.logs import log
from service.sinks.sink_client import Delivery, DeliveryEnd, SinkClient
from service.sinks.sink_request import SinkBackend, SinkRequest
from service.sinks.stored_score import StoredScore
from service.storage.unsent_scores import UnsentScore, UnsentScores

SinkEnd: TypeAlias = Literal["sent", "skipped", "refused", "put_off"]
"""What became of a score: `skipped` ones have no place in the backend."""
_LEASE = timedelta(minutes=5)
"""Far more than a batch takes. A process that stops leaves its batch to the next one after it."""
_AT_ONCE = 8
"""Requests that a sink gets at once."""
_PATIENCE = 10
"""How often a backend may not know a trace until its score counts as refused: about fifty minutes."""
_PAUSES = Backoff(first=1.0, most=300.0)
"""How long a sink is left alone after failures in a row."""
_WAITS = Backoff(first=5.0, most=900.0)
"""How long a score waits until its backend is asked for its trace again."""
_COUNT_EVERY = timedelta(seconds=15)
"""A count reads all that wait."""


class SinkCounts(Protocol):
    """Counts what becomes of scores."""

    def ended(self, sink: str, end: SinkEnd, count: int) -> None:
        """Counts scores by how they ended, or were put off."""
        ...

    def waiting(self, sink: str, count: int) -> None:
        """Shows how many scores wait."""
        ...


@dataclass(slots=True)
class WriteScores:
    """Writes to one sink."""

    sink: str
    backend: SinkBackend
    unsent: UnsentScores
    client: SinkClient
    counts: SinkCounts
    clock: Callable[[], datetime]
    most: int
    backoff: Backoff = _PAUSES
    _failures: int = 0
    _counted_at: datetime | None = None

    async def __call__(self) -> float | None:
        """Sends one batch. Returns the seconds to leave the sink alone, or None if nothing more is due.

        Raises `StoreUnavailable`, after which the batch waits for the end of its lease.
        """
        await self._count()
        taken = await self.unsent.take(self.most, self.clock(), _LEASE)
        if not taken:
            return None
        stored = [StoredScore.of(row) for row in await self.unsent.rows(taken)]
        requests = self.backend.requests(stored) if stored else []
        placed = {score.id for request in requests for score in request.scores}
        await self._end("skipped", [each for each in taken if each.evaluation not in placed])
        entries = _by_evaluation(taken)
        slots = asyncio.Semaphore(_AT_ONCE)
        deliveries = await asyncio.gather(*(self._deliver(request, entries, slots) for request in requests))
        return self._pause([each for each in deliveries if each.end is DeliveryEnd.AWAY])

    async def _count(self) -> None:
        now = self.clock()
        if self._counted_at is None or now - self._counted_at >= _COUNT_EVERY:
            self._counted_at = now
            self.counts.waiting(self.sink, await self.unsent.waiting())

    async def _deliver(
        self, request: SinkRequest, waiting: dict[UUID, list[UnsentScore]], slots: asyncio.Semaphore
    ) -> Delivery:
        entries = [entry for score in request.scores for entry in waiting[score.id]]
        async with slots:
            delivery = await self.client.send(request, again=any(entry.tries > 1 for entry in entries))
        match delivery.end:
            case DeliveryEnd.DELIVERED:
                await self._end("sent", entries)
            case DeliveryEnd.AWAY:
                # less a random part, so that processes do not come back together
                least = self.backoff.wait(self._failures + 1) * random.uniform(0.5, 1.0)  # noqa: S311 no secret
                pause = max(least, delivery.pause)
                await self._put_off(entries, pause, unknown=False)
                return replace(delivery, pause=pause)
            case _ if len(request.scores) > 1:
                return await self._deliver_each(request.scores, waiting, slots)
            case DeliveryEnd.UNKNOWN if entries[0].unknown < _PATIENCE:
                await self._put_off(entries, _WAITS.wait(entries[0].unknown + 1), unknown=True)
            case _:
                log.warning("sink_refused_score", sink=self.sink, reply=delivery.detail)
                await self._end("refused", entries)
        return delivery

    async def _deliver_each(
        self, scores: Sequence[StoredScore], waiting: dict[UUID, list[UnsentScore]], slots: asyncio.Semaphore
    ) -> Delivery:
        """One of them makes the backend refuse all, so each is sent alone."""
        requests = [request for score in scores for request in self.backend.requests([score])]
        deliveries = [await self._deliver(request, waiting, slots) for request in requests]
        away = (each for each in deliveries if each.end is DeliveryEnd.AWAY)
        return next(away, Delivery(DeliveryEnd.DELIVERED))

    async def _end(self, end: SinkEnd, entries: Sequence[UnsentScore]) -> None:
        if entries:
            await self.unsent.remove([each.id for each in entries])
            self.counts.ended(self.sink, end, len(entries))

    async def _put_off(self, entries: Sequence[UnsentScore], seconds: float, *, unknown: bool) -> None:
        due = self.clock() + timedelta(seconds=seconds)
        await self.unsent.put_off([each.id for each in entries], due, unknown=unknown)
        self.counts.ended(self.sink, "put_off", len(entries))

    def _pause(self, away: Sequence[Delivery]) -> float:
        if not away:
            if self._failures:
                log.info("sink_available", sink=self.sink)
            self._failures = 0
            return 0.0
        if not self._failures:
            log.warning("sink_unavailable", sink=self.sink, reply=away[0].detail)
        self._failures += 1
        return max(each.pause for each in away)


def _by_evaluation(taken: Sequence[UnsentScore]) -> dict[UUID, list[UnsentScore]]:
    """An evaluation waits twice if its row without a score was filled before it was sent."""
    entries: dict[UUID, list[UnsentScore]] = {}
    for each in taken:
        entries.setdefault(each.evaluation, []).append(each)
    return entries
