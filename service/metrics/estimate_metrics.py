"""Shows the share of right answers of each agent whose answers have labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from service.metrics.declared import DeclaredMetrics
from service.storage.scores.estimated_reports import LabelledEstimate


class EstimateMetrics:
    """Metrics of the estimates. Agents beyond the bound of labels share the lowest of theirs."""

    def __init__(self, declared: DeclaredMetrics, who: Callable[[str, str], tuple[str, str]]) -> None:
        self._who = who
        self._gauges = (
            declared.estimate,
            declared.estimate_low,
            declared.estimate_high,
            declared.estimate_surely_below,
            declared.estimate_labels,
            declared.estimate_verdicts,
            declared.estimate_more_labels,
            declared.estimate_model_worse,
        )
        self._shown: set[tuple[str, str]] = set()

    def show(self, estimates: Iterable[LabelledEstimate]) -> None:
        """Shows these estimates, and no others any more."""
        lowest: dict[tuple[str, str], LabelledEstimate] = {}
        for each in estimates:
            who = self._who(each.row.tenant, each.row.agent)
            if who not in lowest or (each.row.estimate or 0.0) < (lowest[who].row.estimate or 0.0):
                lowest[who] = each
        for who in self._shown - lowest.keys():
            for gauge in self._gauges:
                gauge.remove(*who)
        for who, each in lowest.items():
            row = each.row
            values = (
                row.estimate or 0.0,
                row.low,
                row.high,
                each.surely_below,
                row.labels,
                row.verdicts,
                row.more_labels or 0,
                float(row.model_worse),
            )
            for gauge, value in zip(self._gauges, values, strict=True):
                gauge.labels(*who).set(value)
        self._shown = set(lowest)
