"""Counts of model calls in memory, for commands that run once and for tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from consumers.judging.breaker import BreakerState
from consumers.judging.budgets import Bound
from consumers.judging.ports import CallEnd, CaseEnd
from scoring.verdict import Verdict


@dataclass(slots=True)
class MemoryModelCounts:
    """A `ModelCounts` that keeps what it was told."""

    calls: Counter[str] = field(default_factory=Counter[str])
    cases: Counter[str] = field(default_factory=Counter[str])
    tokens: Counter[str] = field(default_factory=Counter[str])
    unpaid: Counter[str] = field(default_factory=Counter[str])
    cost: float = 0.0
    budgets: dict[str, Bound] = field(default_factory=dict[str, Bound])
    """What was last left of each tenant's day."""
    verdicts: list[tuple[Verdict, Verdict]] = field(default_factory=list[tuple[Verdict, Verdict]])
    """The local judge's and the model's, of each case that a model judged."""
    state: BreakerState = BreakerState.CLOSED
    states: list[BreakerState] = field(default_factory=list[BreakerState])
    """Each state it came into, in order."""

    def called(self, end: CallEnd, seconds: float) -> None:
        """Counts a call."""
        self.calls[end] += 1

    def paid(self, tenant: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Counts what a call cost."""
        self.tokens[tenant] += tokens_in + tokens_out
        self.cost += cost

    def judged(self, end: CaseEnd) -> None:
        """Counts a case."""
        self.cases[end] += 1

    def spent(self, tenant: str) -> None:
        """Counts a call that was not paid for."""
        self.unpaid[tenant] += 1

    def left(self, tenant: str, left: Bound) -> None:
        """Keeps what is left."""
        self.budgets[tenant] = left

    def compared(self, local: Verdict, model: Verdict) -> None:
        """Keeps both verdicts."""
        self.verdicts.append((local, model))

    def breaker(self, state: BreakerState) -> None:
        """Keeps the state when it is another."""
        if state is not self.state:
            self.state = state
            self.states.append(state)
