"""Shows for how long agents have been silent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from service.metrics.declared import DeclaredMetrics


class SilenceMetrics:
    """The metric of silences. Agents beyond the bound of labels show the longest of theirs."""

    def __init__(self, declared: DeclaredMetrics, who: Callable[[str, str], tuple[str, str]]) -> None:
        self._gauge, self._who = declared.silence, who
        self._shown: set[tuple[str, str]] = set()

    def show(self, silences: Mapping[tuple[str, str], float]) -> None:
        """Shows these silences, by tenant and agent, and no others any more."""
        longest: dict[tuple[str, str], float] = {}
        for (tenant, agent), silence in silences.items():
            who = self._who(tenant, agent)
            longest[who] = max(silence, longest.get(who, 0.0))
        for who in self._shown - longest.keys():
            self._gauge.remove(*who)
        for who, silence in longest.items():
            self._gauge.labels(*who).set(silence)
        self._shown = set(longest)
