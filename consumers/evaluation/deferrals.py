"""Events that wait for a dependency: kept durably, tried again when due."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from consumers.evaluation.evaluation import EventKey
from consumers.evaluation.outcomes import DeferredReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferral:
    """One event that could not be scored yet."""

    tenant: str
    source: str
    event_id: str
    payload: bytes
    """The event as canonical JSON, its id included: enough to consume it anew."""
    payload_hash: str
    """`QueryEvent.payload_hash`, which tells a resend from another event of the same id."""
    timestamp: datetime | None = None
    """Its record's, which stands in for an event time it does not name."""
    reason: DeferredReason
    due: datetime
    """When it is tried next."""
    attempts: int = 0
    """How often it was taken to be tried."""

    @property
    def key(self) -> EventKey:
        """The event's identity."""
        return EventKey(self.tenant, self.source, self.event_id)
