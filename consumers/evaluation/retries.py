"""When a deferred event is tried again: after waits that grow, spread so that not all come back at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from consumers.evaluation.event_evaluation import EventKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
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

        >>> Retries(attempts=1).due(1, datetime(2026, 11, 2), EventKey("t", "/s", "1")) is None
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
