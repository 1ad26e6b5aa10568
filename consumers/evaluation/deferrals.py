"""Events that wait for a dependency: stored, and tried again when due."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from consumers.evaluation.event_evaluation import EventKey
from consumers.evaluation.outcomes import DeferredReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """One event that could not be scored yet."""

    tenant: str
    source: str
    event_id: str
    payload: bytes
    """The event as canonical JSON with its id: enough to consume it again."""
    payload_hash: str
    """`QueryEvent.payload_hash`: the same event sent again has the same hash, another event with its id does not."""
    timestamp: datetime | None = None
    """The record's, for an event without a time of its own."""
    reason: DeferredReason
    due: datetime
    """When it is tried next."""
    attempts: int = 0
    """How often it was taken for a try."""

    @property
    def key(self) -> EventKey:
        """The event's identity."""
        return EventKey(self.tenant, self.source, self.event_id)
