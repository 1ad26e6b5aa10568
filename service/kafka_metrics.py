"""What is counted of Kafka: commits, lag, age, pauses, rebalances and dead letters."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from consumers.streams import Partition

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0)


class KafkaMetrics:
    """The `Flow` that Prometheus scrapes."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._commits = Counter(
            "sqlassay_kafka_commits",
            "Offset commits by result: done, failed or not_assigned.",
            ["topic", "result"],
            registry=registry,
        )
        self._lag = Gauge(
            "sqlassay_kafka_lag_records",
            "Records of an assigned partition that have not ended.",
            ["topic", "partition"],
            registry=registry,
        )
        self._age = Histogram(
            "sqlassay_kafka_age_seconds",
            "Time from a record's publication to its end.",
            ["topic"],
            buckets=_SECONDS,
            registry=registry,
        )
        self._paused = Gauge("sqlassay_kafka_paused", "1 while fetching is held back.", ["topic"], registry=registry)
        self._rebalances = Counter(
            "sqlassay_kafka_rebalances", "Assignments of partitions.", ["topic"], registry=registry
        )
        self._assigned = Gauge(
            "sqlassay_kafka_partitions", "Partitions assigned to this process.", ["topic"], registry=registry
        )
        self._buried = Counter(
            "sqlassay_dead_letters", "Dead letters written, by reason.", ["topic", "reason"], registry=registry
        )

    def committed(self, topic: str, result: str) -> None:
        """Counts a commit."""
        self._commits.labels(topic, result).inc()

    def rebalanced(self, topic: str, partitions: int) -> None:
        """Counts an assignment; the lag of partitions that went elsewhere is theirs to tell."""
        self._rebalances.labels(topic).inc()
        self._assigned.labels(topic).set(partitions)
        self._paused.labels(topic).set(0)
        self._lag.clear()

    def lagged(self, partition: Partition, records: int) -> None:
        """Shows the lag of a partition."""
        self._lag.labels(partition.topic, str(partition.number)).set(records)

    def aged(self, topic: str, seconds: float) -> None:
        """Observes how old a record was when it ended."""
        self._age.labels(topic).observe(seconds)

    def paused(self, topic: str, now: bool) -> None:
        """Shows whether fetching is held back."""
        self._paused.labels(topic).set(now)

    def buried(self, topic: str, reason: str) -> None:
        """Counts a dead letter."""
        self._buried.labels(topic, reason).inc()
