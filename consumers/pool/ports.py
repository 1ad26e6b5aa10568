"""What the pool needs from outside: a store of deferred events, and a way to publish results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from consumers.errors import TooLargeForBroker
from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey


class DeferredEvents(Protocol):
    """Keeps events that cannot be scored yet."""

    async def defer(self, deferrals: Sequence[Deferral]) -> Collection[EventKey]:
        """Keeps the deferrals durably, one for each event key; their keys must be distinct.

        A deferral that is already kept loses no attempts, except the last one of a throttled event: it was not tried.
        Returns the keys that already hold an event with other content: those deferrals are not kept. Raises
        `StoreUnavailable` or `RefusedByStore` (nothing is kept).
        """
        ...

    async def lease_due(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[Deferral]:
        """Leases up to `limit` that are due, tenants in turn, longest due first; each counts as one more attempt.

        Nobody else receives them for `lease_seconds`. Those neither dropped nor deferred again by then are due again.
        Raises `StoreUnavailable`.
        """
        ...

    async def drop(self, keys: Collection[EventKey]) -> None:
        """Deletes the deferrals of these keys: their events have ended. Raises `StoreUnavailable`."""
        ...

    async def waiting(self) -> int:
        """The number of deferrals kept; raises `StoreUnavailable`."""
        ...


class ResultsTooLarge(TooLargeForBroker):
    """The broker refuses some results for their size, and has taken the others."""

    def __init__(self, message: str, keys: Collection[EventKey]) -> None:
        super().__init__(message)
        self.keys = keys
        """Of the events whose results were refused."""


class Results(Protocol):
    """Publishes how events ended."""

    async def publish(self, ends: Mapping[EventKey, Evaluation | Claim]) -> None:
        """Returns once every result is durable; for a claim it publishes the result of the stored row.

        The same result may be published twice, with the same id. Raises `Unavailable`, and `ResultsTooLarge` where
        only those that it names are left.
        """
        ...
