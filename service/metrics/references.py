"""What is counted of references: what they said, and how many answers wait for them."""

from __future__ import annotations

from collections.abc import Callable

from references.verdict import ReferenceVerdict
from service.metrics.declared import Declared


class ReferenceMetrics:
    """The `ReferenceCounts` that Prometheus scrapes."""

    def __init__(self, declared: Declared, who: Callable[[str, str], tuple[str, str]]) -> None:
        self._of, self._who = declared, who

    def judged(self, tenant: str, agent: str, verdict: ReferenceVerdict) -> None:
        """Counts a verdict."""
        self._of.reference_verdicts.labels(*self._who(tenant, agent), verdict.value).inc()

    def waits(self, count: int) -> None:
        """Shows how many wait."""
        self._of.references_waiting.set(count)
