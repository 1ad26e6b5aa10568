"""Reads what a process exposes at `/metrics`."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families

READ = frozenset(
    f"sqlassay_{name}"
    for name in (
        "agent_silence",
        "consumed_total",
        "dead_letters_total",
        "dependency_up",
        "kafka_group_lag_records",
        "kafka_paused",
        "kafka_stuck",
        "outcomes_total",
        "queue_records",
        "role",
        "start_time_seconds",
    )
)
"""The metrics that are read. A process exposes hundreds of series for each agent, and most are skipped unparsed."""
Series = tuple[str, frozenset[tuple[str, str]]]
"""A metric's name and its labels."""


@dataclass(frozen=True, slots=True)
class ExposedMetrics:
    """The values of the metrics of `READ`, without those that are not a number."""

    values: Mapping[Series, float]

    @classmethod
    def parse(cls, text: str) -> ExposedMetrics:
        """Reads Prometheus's text format; raises `ValueError` for other text.

        >>> found = ExposedMetrics.parse('sqlassay_outcomes_total{trigger="live",outcome="scored",reason=""} 3.0')
        >>> found.total("outcomes_total", outcome="scored"), found.total("queue_records")
        (3.0, 0)
        """
        lines = (line for line in text.splitlines() if line.partition("{")[0].partition(" ")[0] in READ)
        families = text_string_to_metric_families("\n".join(lines) + "\n")
        samples = (sample for family in families for sample in family.samples)
        return cls(
            {(each.name, frozenset(each.labels.items())): each.value for each in samples if not math.isnan(each.value)}
        )

    def series(self, name: str, **wanted: str) -> Iterator[tuple[dict[str, str], float]]:
        """Labels and value of each series of a metric, named without its prefix, that has the wanted labels."""
        for (found, labels), value in self.values.items():
            if found == f"sqlassay_{name}" and labels >= wanted.items():
                yield dict(labels), value

    def total(self, name: str, **wanted: str) -> float:
        """The sum of these series; 0 without any."""
        return sum(value for _, value in self.series(name, **wanted))

    def by(self, label: str, name: str, **wanted: str) -> dict[str, float]:
        """The sums of these series by one label, largest first, without those that are 0."""
        sums: defaultdict[str, float] = defaultdict(float)
        for labels, value in self.series(name, **wanted):
            sums[labels.get(label, "")] += value
        return {each: value for each, value in sorted(sums.items(), key=lambda pair: (-pair[1], pair[0])) if value}

    def since(self, before: ExposedMetrics) -> ExposedMetrics:
        """How much each value rose since then, as only counters mean it. A series that is new rose from 0."""
        return ExposedMetrics({each: value - before.values.get(each, 0.0) for each, value in self.values.items()})


def added(parts: Sequence[ExposedMetrics]) -> ExposedMetrics:
    """The sums of several processes' values."""
    sums: defaultdict[Series, float] = defaultdict(float)
    for part in parts:
        for each, value in part.values.items():
            sums[each] += value
    return ExposedMetrics(sums)


def largest(parts: Sequence[ExposedMetrics], name: str, *labels: str) -> dict[tuple[str, ...], float]:
    """The largest value of a metric by these labels. It suits what every process sees alike, such as a group's lag."""
    found: dict[tuple[str, ...], float] = {}
    for part in parts:
        for series, value in part.series(name):
            key = tuple(series.get(label, "") for label in labels)
            found[key] = max(value, found.get(key, value))
    return found
