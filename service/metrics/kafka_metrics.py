"""Counts commits, rebalances and dead letters, and shows lag, age, pauses and what an observer of the topics saw."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from consumers.stream.ports import Partition
from service.logs import log
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

    def stuck(self, partition: Partition, now: bool) -> None:
        """Shows a partition that stands before a batch that cannot be read; others have no series."""
        labels = (partition.topic, str(partition.number))
        if now:
            self._of.stuck.labels(*labels).set(1)
            return
        with suppress(KeyError):
            self._of.stuck.remove(*labels)

    def lagged(self, partition: Partition, records: int | None) -> None:
        """Shows the lag of a partition; one that is unknown has no series."""
        labels = (partition.topic, str(partition.number))
        if records is not None:
            self._of.lag.labels(*labels).set(records)
            return
        with suppress(KeyError):
            self._of.lag.remove(*labels)

    def aged(self, topic: str, seconds: float) -> None:
        """Observes the age of a record when it ended."""
        self._of.age.labels(topic).observe(seconds)

    def paused(self, topic: str, now: bool) -> None:
        """Shows whether fetching is paused."""
        self._of.paused.labels(topic).set(now)

    def dead_lettered(self, topic: str, reason: str) -> None:
        """Counts a dead letter."""
        self._of.dead_letters.labels(topic, reason).inc()

    def halted(self, topic: str, why: str) -> None:
        """Logs that reading has stopped."""
        fix = "sqlassay dead-letters list names the reasons; correct the producer, then restart this process"
        log.error("reading_stopped", topic=topic, why=why, fix=fix)

    def topics_seen(self, partitions: Mapping[str, int], leaderless: Mapping[str, int]) -> None:
        """Shows the topics as the brokers describe them; without any, nothing is known of them."""
        for gauge, values in ((self._of.topic_partitions, partitions), (self._of.leaderless, leaderless)):
            gauge.clear()
            for topic, value in values.items():
                gauge.labels(topic).set(value)

    def ends_seen(self, ends: Mapping[Partition, int]) -> None:
        """Shows the end offsets; an offset that is unknown has no series."""
        self._of.end_offset.clear()
        for each, offset in ends.items():
            self._of.end_offset.labels(each.topic, str(each.number)).set(offset)

    def groups_seen(
        self, groups: Mapping[str, str], committed: Mapping[Partition, int], lag: Mapping[Partition, int]
    ) -> None:
        """Shows how far the group of each topic has read."""
        for gauge, values in ((self._of.committed_offset, committed), (self._of.group_lag, lag)):
            gauge.clear()
            for each, value in values.items():
                gauge.labels(groups[each.topic], each.topic, str(each.number)).set(value)
