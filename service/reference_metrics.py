"""What is counted of references: what they said, and how many answers wait for them."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge

from references.verdict import ReferenceVerdict


class ReferenceMetrics:
    """The `ReferenceCounts` that Prometheus scrapes."""

    def __init__(self, registry: CollectorRegistry, tenant: Callable[[str], str], agent: Callable[[str], str]) -> None:
        self._tenant, self._agent = tenant, agent
        text = "Answers that came with a reference, by what it says of them."
        labels = ("tenant", "agent", "verdict")
        self._verdicts = Counter("sqlassay_reference_verdicts", text, labels, registry=registry)
        waiting = "Answers that wait to be judged by their reference."
        self._waiting = Gauge("sqlassay_references_waiting", waiting, registry=registry)

    def judged(self, tenant: str, agent: str, verdict: ReferenceVerdict) -> None:
        """Counts a verdict."""
        self._verdicts.labels(self._tenant(tenant), self._agent(agent), verdict.value).inc()

    def waits(self, count: int) -> None:
        """Shows how many wait."""
        self._waiting.set(count)
