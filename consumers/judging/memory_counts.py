"""Counts of model calls in memory, for commands that run once and for tests."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from consumers.judging.breaker import BreakerState
from consumers.judging.budgets import Bound
from consumers.judging.ports import CallOutcome, CaseOutcome, FailureCause
from scoring.verdict import Verdict


@dataclass(slots=True)
class MemoryModelCounts:
    """A `ModelCounts` that keeps everything."""

    calls: Counter[str] = field(default_factory=Counter[str])
    cases: Counter[str] = field(default_factory=Counter[str])
    tokens: Counter[str] = field(default_factory=Counter[str])
    causes: Counter[FailureCause] = field(default_factory=Counter[FailureCause])
    """Cases without a reply of the model, by cause."""
    details: dict[FailureCause, str] = field(default_factory=dict[FailureCause, str])
    unpaid: Counter[str] = field(default_factory=Counter[str])
    cost: float = 0.0
    budgets: dict[str, Bound] = field(default_factory=dict[str, Bound])
    """What is left of each tenant's day, as last shown."""
    verdicts: list[tuple[Verdict, Verdict]] = field(default_factory=list[tuple[Verdict, Verdict]])
    """The local judge's verdict and the model's, of each case with both."""
    state: BreakerState = BreakerState.CLOSED
    states: list[BreakerState] = field(default_factory=list[BreakerState])
    """Each new state, in order."""

    def called(self, outcome: CallOutcome, seconds: float) -> None:
        """Counts a call."""
        self.calls[outcome] += 1

    def paid(self, tenant: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Adds the cost of a call."""
        self.tokens[tenant] += tokens_in + tokens_out
        self.cost += cost

    def judged(self, outcome: CaseOutcome) -> None:
        """Counts a case."""
        self.cases[outcome] += 1

    def no_reply(self, cause: FailureCause, detail: str) -> None:
        """Counts a case without a reply, and keeps the first detail of each cause."""
        self.causes[cause] += 1
        self.details.setdefault(cause, detail)

    def budget_spent(self, tenant: str) -> None:
        """Counts a call that the budget did not cover."""
        self.unpaid[tenant] += 1

    def budget_left(self, tenant: str, left: Bound) -> None:
        """Keeps what is left of the day."""
        self.budgets[tenant] = left

    def compared(self, local: Verdict, model: Verdict) -> None:
        """Keeps both verdicts."""
        self.verdicts.append((local, model))

    def breaker_state(self, state: BreakerState) -> None:
        """Keeps the state if it is new."""
        if state is not self.state:
            self.state = state
            self.states.append(state)
