"""Whether an agent's answer to a canary is right, and how an agent does over all its canaries. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from references.equivalence.pair import Level
from references.reference_verdict import ReferenceVerdict

UNREADABLE = "unreadable"
"""The failure of an answer that cannot be read or run."""
FORGOTTEN_AFTER = timedelta(days=2)
"""A canary that was last asked so long before the agent's latest one no longer counts."""
_SAME = frozenset({ReferenceVerdict.EQUIVALENT, ReferenceVerdict.NOT_REFUTED})


class CanaryResult(StrEnum):
    """What one asking of a canary showed."""

    RIGHT = "right"
    """The answer means what its reference means, at least on ordinary data."""
    WRONG = "wrong"
    """The answer gives other rows on ordinary data, or in another order than the reference asks for."""
    FAILED = "failed"
    """There is no answer to compare."""
    UNDECIDED = "undecided"
    """The two cannot be compared here."""
    PENDING = "pending"
    """They are not compared yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryAnswer:
    """What one asking of a canary gave."""

    tenant: str
    agent: str
    received_at: datetime
    failure: str | None
    """Why there is no answer."""
    verdict: str | None
    """A `ReferenceVerdict`."""
    level: str | None
    """The level at which the answer and its reference differ."""
    reason: str | None

    @property
    def result(self) -> CanaryResult:
        """What it showed."""
        if self.failed is not None:
            return CanaryResult.FAILED
        if self.verdict in _SAME:
            return CanaryResult.RIGHT
        if self.verdict == ReferenceVerdict.DIFFERENT:
            ordinary = self.level == Level.S0.value or "in another order" in (self.reason or "")
            return CanaryResult.WRONG if ordinary else CanaryResult.RIGHT
        return CanaryResult.PENDING if self.verdict == ReferenceVerdict.PENDING else CanaryResult.UNDECIDED

    @property
    def failed(self) -> str | None:
        """Why there is no answer to compare; `None` where there is one."""
        return UNREADABLE if self.failure is None and self.verdict == ReferenceVerdict.ERROR else self.failure


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCanaries:
    """An agent's canaries by their latest results."""

    tenant: str
    agent: str
    asked_at: datetime
    """When the latest one was asked."""
    results: Mapping[CanaryResult, int]
    failures: Mapping[str, int]
    """Those that failed, by reason."""

    @property
    def share_right(self) -> float | None:
        """The share of right answers among those right or wrong; `None` without any."""
        right, wrong = self.results.get(CanaryResult.RIGHT, 0), self.results.get(CanaryResult.WRONG, 0)
        return right / (right + wrong) if right + wrong else None


def by_agent(latest: Iterable[CanaryAnswer]) -> list[AgentCanaries]:
    """The agents with canaries, from the latest answer to each canary."""
    answers: dict[tuple[str, str], list[CanaryAnswer]] = {}
    for each in latest:
        answers.setdefault((each.tenant, each.agent), []).append(each)
    return [_summed(tenant, agent, each) for (tenant, agent), each in answers.items()]


def _summed(tenant: str, agent: str, answers: list[CanaryAnswer]) -> AgentCanaries:
    asked_at = max(each.received_at for each in answers)
    counted = [each for each in answers if asked_at - each.received_at <= FORGOTTEN_AFTER]
    return AgentCanaries(
        tenant=tenant,
        agent=agent,
        asked_at=asked_at,
        results=Counter(each.result for each in counted),
        failures=Counter(each.failed for each in counted if each.failed is not None),
    )
