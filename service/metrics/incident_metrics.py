"""Shows the size of each agent's fall, in the words and numbers of its incident, so that an alert can say them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from service.metrics.bounded_labels import OTHER
from service.metrics.declared import DeclaredMetrics
from service.storage.incidents.agent_incidents import AgentIncident

_LONGEST = 100
"""Most letters of a version."""


class IncidentMetrics:
    """Metrics of the incidents whose alarm is on. Agents beyond the bound of labels have none."""

    def __init__(self, declared: DeclaredMetrics, who: Callable[[str, str], tuple[str, str]]) -> None:
        self._of, self._who = declared, who
        self._shown: set[tuple[str, ...]] = set()

    def show(self, incidents: Iterable[AgentIncident]) -> None:
        """Shows these incidents, and no others any more."""
        values: dict[tuple[str, ...], float] = {}
        for each in incidents:
            who = self._who(each.tenant, each.agent)
            if OTHER in who:
                continue
            # a label without a value is one that a template cannot tell from a missing one
            names = (*who, str(each.id), each.whose[:_LONGEST], each.began)
            for when, judged in (("before", each.before), ("since", each.after)):
                if judged.share is not None:
                    values[(*names, when)] = judged.share
        gauge = self._of.incident
        for labels in self._shown - values.keys():
            gauge.remove(*labels)
        for labels, value in values.items():
            gauge.labels(*labels).set(value)
        self._shown = set(values)
