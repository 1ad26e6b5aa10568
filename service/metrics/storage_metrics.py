"""Counts failures of Redis, and shows partitions and retention in PostgreSQL."""

from __future__ import annotations

from service.metrics.declared import DeclaredMetrics
from service.storage.retention import Housekeeping


class StorageMetrics:
    """Metrics of Redis and of the partitions."""

    def __init__(self, declared: DeclaredMetrics) -> None:
        self._of = declared

    def rules_aged(self, seconds: float) -> None:
        """Shows for how long newer rules could not be read, and counts a batch scored with the last known ones."""
        self._of.rules_age.set(seconds)
        self._of.rules_unconfirmed.inc(seconds > 0)

    def redis_failed(self, use: str) -> None:
        """Counts a failure of Redis, by its use."""
        self._of.redis_failures.labels(use).inc()

    def housekeeping_failed(self) -> None:
        """Counts a round of housekeeping that failed."""
        self._of.housekeeping_failures.inc()

    def housekeeping_begun(self) -> None:
        """Shows that this process does the housekeeping from now on."""
        self._of.housekeeping_time.set_to_current_time()

    def housekeeping_done(self, done: Housekeeping) -> None:
        """Shows what housekeeping found and did."""
        self._of.housekeeping_time.set_to_current_time()
        self._of.partitions.set(done.partitions)
        self._of.other_days_rows.set(done.other_days)
        self._of.expired_rows.inc(done.deleted)
        self._of.expired_partitions.inc(done.dropped)
