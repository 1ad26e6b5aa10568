"""Shows the share of right answers of each agent whose answers have labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from service.metrics.declared import DeclaredMetrics
from service.storage.scores.estimated_reports import EstimatedRow


class EstimateMetrics:
    """Metrics of the estimates. Agents beyond the bound of labels share the lowest of theirs."""

    def __init__(self, declared: DeclaredMetrics, who: Callable[[str, str], tuple[str, str]]) -> None:
        self._of, self._who = declared, who
        self._shown: set[tuple[str, str]] = set()

    def show(self, rows: Iterable[EstimatedRow]) -> None:
        """Shows the estimates that use labels, and no others any more."""
        lowest: dict[tuple[str, str], EstimatedRow] = {}
        for row in rows:
            who = self._who(row.tenant, row.agent)
            if row.labels and (who not in lowest or (row.estimate or 0.0) < (lowest[who].estimate or 0.0)):
                lowest[who] = row
        gauges = (self._of.estimate, self._of.estimate_low, self._of.estimate_high, self._of.estimate_labels)
        for who in self._shown - lowest.keys():
            for gauge in gauges:
                gauge.remove(*who)
        for who, row in lowest.items():
            for gauge, value in zip(gauges, (row.estimate or 0.0, row.low, row.high, row.labels), strict=True):
                gauge.labels(*who).set(value)
        self._shown = set(lowest)
