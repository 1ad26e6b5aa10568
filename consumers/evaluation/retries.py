"""When to try again: a wait that grows, spread so that what failed together does not come back together."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from consumers.evaluation.evaluation import EventKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often an event that was put off is tried, and when. A decider: it reads no clock."""

    attempts: int = 10
    """Tries before the event is stored without a score."""
    first: float = 5.0
    """Seconds before the second try."""
    factor: float = 2.0
    most: float = 900.0
    """Longest wait in seconds."""

    def due(self, attempts: int, now: datetime, key: EventKey) -> datetime | None:
        """When an event tried `attempts` times is tried again; `None` where it was tried often enough.

        >>> Retries(attempts=1).due(1, datetime(2026, 11, 2), EventKey("t", "/s", "1")) is None
        True
        """
        if attempts >= self.attempts:
            return None
        wait = min(self.first * self.factor ** min(attempts, 32), self.most)
        return now + timedelta(seconds=wait * (0.8 + 0.4 * _spread(key, attempts)))


def _spread(key: EventKey, attempts: int) -> float:
    """A number in [0, 1) of this event and try alone."""
    digest = hashlib.sha256("\0".join((*key, str(attempts))).encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long to wait for a dependency that is down before it is asked again."""

    first: float = 0.1
    factor: float = 2.0
    most: float = 5.0

    def wait(self, failures: int) -> float:
        """Seconds after so many failures in a row.

        >>> [Backoff().wait(failures) for failures in (1, 2, 3, 99)]
        [0.1, 0.2, 0.4, 5.0]
        """
        return min(self.first * self.factor ** min(failures - 1, 32), self.most)
