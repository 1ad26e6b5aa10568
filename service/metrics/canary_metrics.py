"""Shows how agents answer their canaries."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from consumers.references import ReferenceCounts
from consumers.wire.canary import CanaryFailure
from evals.canary_results import UNREADABLE, AgentCanaries, CanaryResult
from references.reference_verdict import ReferenceVerdict
from service.metrics.declared import DeclaredMetrics

_SHOWN = (CanaryResult.RIGHT, CanaryResult.WRONG, CanaryResult.FAILED, CanaryResult.UNDECIDED)
_REASONS = (*(each.value for each in CanaryFailure), UNREADABLE)


class CanaryMetrics:
    """Metrics of the canaries. Agents beyond the bound of labels share the lowest share and the sums of theirs."""

    def __init__(self, declared: DeclaredMetrics, who: Callable[[str, str], tuple[str, str]]) -> None:
        self._of, self._who = declared, who

    def show(self, agents: Iterable[AgentCanaries]) -> None:
        """Shows these agents, and no others any more."""
        of = self._of
        gathered: dict[tuple[str, str], list[AgentCanaries]] = {}
        for each in agents:
            gathered.setdefault(self._who(each.tenant, each.agent), []).append(each)
        for gauge in (of.canary_share_right, of.canary_questions, of.canary_failures, of.canary_time):
            gauge.clear()
        for who, those in gathered.items():
            shares = [each.share_right for each in those if each.share_right is not None]
            if shares:
                of.canary_share_right.labels(*who).set(min(shares))
            for result in _SHOWN:
                of.canary_questions.labels(*who, result.value).set(sum(each.results.get(result, 0) for each in those))
            for reason in _REASONS:
                of.canary_failures.labels(*who, reason).set(sum(each.failures.get(reason, 0) for each in those))
            of.canary_time.labels(*who).set(min(each.asked_at for each in those).timestamp())


class UncountedReferences(ReferenceCounts):
    """Counts nothing: the verdicts of canaries are not those of users' questions."""

    def judged(self, tenant: str, agent: str, verdict: ReferenceVerdict) -> None:
        """Counts nothing."""

    def waits(self, count: int) -> None:
        """Counts nothing."""
