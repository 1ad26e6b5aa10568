"""Shows what the agents' alarms say."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prometheus_client import Gauge

from service.metrics.bounded_labels import BoundedLabels
from service.metrics.declared import DeclaredMetrics
from service.storage.alarms.agent_alarms import AgentAlarmState


class AlarmMetrics:
    """Metrics of the agents' alarms. Agents beyond the bound of labels share the worst of their alarms."""

    def __init__(
        self, declared: DeclaredMetrics, who: Callable[[str, str], tuple[str, str]], judges: BoundedLabels
    ) -> None:
        self._of, self._who, self._judges = declared, who, judges
        self._shown: dict[Gauge, set[tuple[str, ...]]] = {}

    def show(self, states: Iterable[AgentAlarmState]) -> None:
        """Shows these alarms, and no others any more."""
        on: dict[tuple[str, ...], float] = {}
        evidence: dict[tuple[str, ...], float] = {}
        answers: dict[tuple[str, ...], float] = {}
        for state in states:
            who = self._who(state.tenant, state.agent)
            by = (*who, self._judges.label(state.judge), state.evaluator_version)
            _keep_most(answers, by, state.answers)
            for kind, rang, gathered in (
                ("fall", state.fall, state.fall_evidence),
                ("below", state.below, state.below_evidence),
                ("wrong", state.wrong, state.wrong_evidence),
            ):
                _keep_most(on, (*by, kind), float(rang))
                _keep_most(evidence, (*by, kind), gathered)
        self._set(self._of.alarm, on)
        self._set(self._of.alarm_evidence, evidence)
        self._set(self._of.alarm_answers, answers)

    def failed(self) -> None:
        """Counts a look at new answers that failed."""
        self._of.alarm_failures.inc()

    def _set(self, gauge: Gauge, values: dict[tuple[str, ...], float]) -> None:
        for labels in self._shown.get(gauge, set()) - values.keys():
            gauge.remove(*labels)
        for labels, value in values.items():
            gauge.labels(*labels).set(value)
        self._shown[gauge] = set(values)


def _keep_most(values: dict[tuple[str, ...], float], labels: tuple[str, ...], value: float) -> None:
    values[labels] = max(value, values.get(labels, value))
