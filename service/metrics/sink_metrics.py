"""Counts what becomes of the scores that sinks get."""

from __future__ import annotations

from service.metrics.declared import DeclaredMetrics


class SinkMetrics:
    """The `SinkCounts` that Prometheus scrapes."""

    def __init__(self, declared: DeclaredMetrics) -> None:
        self._of = declared

    def ended(self, sink: str, end: str, count: int) -> None:
        """Counts scores by how they ended, or were put off."""
        if count:
            self._of.sink_scores.labels(sink, end).inc(count)

    def waiting(self, sink: str, count: int) -> None:
        """Shows how many scores wait."""
        self._of.sink_waiting.labels(sink).set(count)

    def failed(self, sink: str) -> None:
        """Counts a look at what waits that failed."""
        self._of.sink_failures.labels(sink).inc()
