"""Metrics of the stores: what Redis refused, and what PostgreSQL keeps."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge

from service.retention import Housekeeping


class StorageMetrics:
    """What is counted of Redis and of the partitions."""

    def __init__(self, registry: CollectorRegistry) -> None:
        refused = "Times Redis was wanted and did not answer, by what for."
        self._redis = Counter("sqlassay_redis_failures", refused, ("use",), registry=registry)
        unconfirmed = "Batches scored with the last rules known: newer ones could not be read."
        self._unconfirmed = Counter("sqlassay_rules_unconfirmed", unconfirmed, registry=registry)
        self._partitions = Gauge("sqlassay_partitions", "Days that have a partition.", registry=registry)
        self._others = Gauge("sqlassay_other_days_rows", "Evaluations whose day has no partition.", registry=registry)
        self._expired = Counter("sqlassay_expired_rows", "Evaluations no longer kept.", registry=registry)
        self._dropped = Counter("sqlassay_expired_partitions", "Partitions no longer kept.", registry=registry)

    def rules_unconfirmed(self) -> None:
        """Counts a batch scored with the last rules known."""
        self._unconfirmed.inc()

    def redis_failed(self, use: str) -> None:
        """Counts a failure of Redis."""
        self._redis.labels(use).inc()

    def house_kept(self, done: Housekeeping) -> None:
        """Shows what housekeeping found and did."""
        self._partitions.set(done.partitions)
        self._others.set(done.other_days)
        self._expired.inc(done.deleted)
        self._dropped.inc(done.dropped)
