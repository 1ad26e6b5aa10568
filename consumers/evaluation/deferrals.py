"""Events that wait for a dependency: stored, and tried again after waits that grow and are spread."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often a deferred event is tried, and when. A decider: it reads no clock."""

    attempts: int = 10
    """Tries before the event is stored without a score."""
    first: float = 5.0
    """Seconds before the second try."""
    factor: float = 2.0
    most: float = 900.0
    """Longest wait in seconds."""

    def due(self, attempts: int, now: datetime, key: EventKey) -> datetime | None:
        """When an event that was tried `attempts` times is tried next; `None` after the last try.

        >>> RetryPolicy(attempts=1).due(1, datetime(2026, 11, 2), EventKey("t", "/s", "1")) is None
        True
        """
        if attempts >= self.attempts:
            return None
        wait = min(self.first * self.factor ** min(attempts, 32), self.most)
        return now + timedelta(seconds=wait * (0.8 + 0.4 * _spread(key, attempts)))


def _spread(key: EventKey, attempts: int) -> float:
    """A number in [0, 1) that depends on the event and the try alone."""
    digest = hashlib.sha256("\0".join((*key, str(attempts))).encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32
