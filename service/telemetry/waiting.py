"""How much waits for the collector: bounded, so that one that is slow or gone costs spans and never events."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock


@dataclass(slots=True)
class Waiting:
    """What was handed over and not yet taken to be exported; more than `most` is not let in. Safe in any thread.

    >>> waiting = Waiting(3)
    >>> waiting.admits(2), waiting.admits(2), waiting.leave(2), waiting.admits(2)
    (True, False, None, True)
    """

    most: int
    held: int = 0
    _lock: Lock = field(default_factory=Lock)

    def admits(self, count: int) -> bool:
        """Whether all of these fit; if so they are held."""
        with self._lock:
            if self.held + count > self.most:
                return False
            self.held += count
            return True

    def leave(self, count: int) -> None:
        """These are taken to be exported."""
        with self._lock:
            self.held -= count
