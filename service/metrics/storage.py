"""Metrics of the stores: what Redis refused, and what PostgreSQL keeps."""

from __future__ import annotations

from service.metrics.declared import Declared
from service.storage.retention import Housekeeping


class StorageMetrics:
    """What is counted of Redis and of the partitions."""

    def __init__(self, declared: Declared) -> None:
        self._of = declared

    def rules_aged(self, seconds: float) -> None:
        """Shows how old rules in use are, and counts a batch that is scored with the last rules known."""
        self._of.rules_age.set(seconds)
        self._of.rules_unconfirmed.inc(seconds > 0)

    def redis_failed(self, use: str) -> None:
        """Counts a failure of Redis."""
        self._of.redis_failures.labels(use).inc()

    def housekeeping_done(self, done: Housekeeping) -> None:
        """Shows what housekeeping found and did."""
        self._of.partitions.set(done.partitions)
        self._of.other_days_rows.set(done.other_days)
        self._of.expired_rows.inc(done.deleted)
        self._of.expired_partitions.inc(done.dropped)
