"""Counts reference verdicts, and shows how many answers wait for one."""

from __future__ import annotations

from collections.abc import Callable

from references.reference_verdict import ReferenceVerdict
from service.metrics.declared import DeclaredMetrics


class ReferenceMetrics:
    """The `ReferenceCounts` that Prometheus scrapes."""

    def __init__(self, declared: DeclaredMetrics, who: Callable[[str, str], tuple[str, str]]) -> None:
        self._of, self._who = declared, who

    def judged(self, tenant: str, agent: str, verdict: ReferenceVerdict) -> None:
        """Counts a reference verdict."""
        self._of.reference_verdicts.labels(*self._who(tenant, agent), verdict.value).inc()

    def waits(self, count: int) -> None:
        """Shows how many answers wait."""
        self._of.references_waiting.set(count)
