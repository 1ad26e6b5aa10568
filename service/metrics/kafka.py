"""Counts commits, rebalances and dead letters, and shows lag, age and pauses."""

from __future__ import annotations

from consumers.stream.ports import Partition
from service.metrics.declared import DeclaredMetrics


class KafkaMetrics:
    """The `Flow` that Prometheus scrapes."""

    def __init__(self, declared: DeclaredMetrics) -> None:
        self._of = declared

    def committed(self, topic: str, result: str) -> None:
        """Counts an offset commit by its result."""
        self._of.commits.labels(topic, result).inc()

    def rebalanced(self, topic: str, partitions: int) -> None:
        """Counts an assignment, and drops the lag of partitions that other processes now report."""
        self._of.rebalances.labels(topic).inc()
        self._of.assigned.labels(topic).set(partitions)
        self._of.paused.labels(topic).set(0)
        self._of.lag.clear()

    def lagged(self, partition: Partition, records: int) -> None:
        """Shows the lag of a partition."""
        self._of.lag.labels(partition.topic, str(partition.number)).set(records)

    def aged(self, topic: str, seconds: float) -> None:
        """Observes the age of a record when it ended."""
        self._of.age.labels(topic).observe(seconds)

    def paused(self, topic: str, now: bool) -> None:
        """Shows whether fetching is paused."""
        self._of.paused.labels(topic).set(now)

    def dead_lettered(self, topic: str, reason: str) -> None:
        """Counts a dead letter."""
        self._of.dead_letters.labels(topic, reason).inc()
