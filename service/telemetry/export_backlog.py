"""Bounds what waits for the collector, so that a slow collector costs spans and never events."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock


@dataclass(slots=True)
class ExportBacklog:
    """Counts what waits to be exported, up to `limit`. Safe in any thread.

    >>> backlog = ExportBacklog(3)
    >>> backlog.add(2), backlog.add(2), backlog.remove(2), backlog.add(2)
    (True, False, None, True)
    """

    limit: int
    size: int = 0
    _lock: Lock = field(default_factory=Lock)

    def add(self, count: int) -> bool:
        """Adds `count` if all of them fit; returns whether they did."""
        with self._lock:
            if self.size + count > self.limit:
                return False
            self.size += count
            return True

    def remove(self, count: int) -> None:
        """Removes what an exporter has taken."""
        with self._lock:
            self.size -= count
