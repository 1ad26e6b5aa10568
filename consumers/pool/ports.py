"""What the pool needs from the world: a place for deferred events, and a way to publish results."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.evaluation import Claim, Evaluation, EventKey


class DeferredEvents(Protocol):
    """Keeps events that cannot be scored yet."""

    async def defer(self, deferrals: Sequence[Deferral]) -> Collection[EventKey]:
        """Keeps the deferrals durably, one for each event key; their keys must be distinct.

        Attempts of one that waits already stand, but for the one it was taken for if it only let others pass.
        Returns the keys under which an event with other content waits: those were not kept. Raises `StoreUnavailable`
        or `RefusedByStore` (nothing is kept).
        """
        ...

    async def take_due(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[Deferral]:
        """Takes up to `limit` that are due, each tenant in turn, longest due first; each counts as one more attempt.

        Nobody else is given them for `lease_seconds`; those that are then neither dropped nor deferred anew are due
        again. Raises `StoreUnavailable`.
        """
        ...

    async def drop(self, keys: Collection[EventKey]) -> None:
        """Forgets the deferrals of these keys: they have ended. Raises `StoreUnavailable`."""
        ...

    async def waiting(self) -> int:
        """How many are kept; raises `StoreUnavailable`."""
        ...


class Results(Protocol):
    """Tells the world how events ended."""

    async def publish(self, ends: Mapping[EventKey, Evaluation | Claim]) -> None:
        """Returns once every result is durable; of a claim, the result of the row that stands under it.

        The same result may be published twice, with the same id. Raises `Unavailable`.
        """
        ...
