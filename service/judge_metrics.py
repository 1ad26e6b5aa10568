"""What is counted of models: calls, cases, tokens, money, and whether the model is left alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from consumers.breaker import BreakerState
from consumers.ports import CallEnd, CaseEnd

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0)


class JudgeMetrics:
    """The `ModelCounts` that Prometheus scrapes."""

    def __init__(self, registry: CollectorRegistry, tenant: Callable[[str], str]) -> None:
        self._tenant = tenant
        self._calls = Counter(
            "sqlassay_model_calls", "Calls of the model by how they ended.", ["end"], registry=registry
        )
        self._seconds = Histogram(
            "sqlassay_model_call_seconds", "Time of a call of the model.", buckets=_SECONDS, registry=registry
        )
        self._cases = Counter(
            "sqlassay_model_cases", "Cases a model was to judge by their end.", ["end"], registry=registry
        )
        self._tokens = Counter(
            "sqlassay_model_tokens", "Tokens sent to and received from the model.", ["tenant", "way"], registry=registry
        )
        self._money = Counter(
            "sqlassay_model_cost", "Money for model calls, in the price list's currency.", ["tenant"], registry=registry
        )
        self._unpaid = Counter(
            "sqlassay_model_budget_spent", "Calls not made: the tenant's day is spent.", ["tenant"], registry=registry
        )
        self._breaker = Gauge(
            "sqlassay_model_breaker", "1 for the state that the breaker is in.", ["state"], registry=registry
        )
        for end in get_args(CallEnd):
            self._calls.labels(end)
        for end in get_args(CaseEnd):
            self._cases.labels(end)

    def called(self, end: CallEnd, seconds: float) -> None:
        """Counts a call."""
        self._calls.labels(end).inc()
        self._seconds.observe(seconds)

    def paid(self, tenant: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Counts what a call cost."""
        label = self._tenant(tenant)
        self._tokens.labels(label, "sent").inc(tokens_in)
        self._tokens.labels(label, "received").inc(tokens_out)
        self._money.labels(label).inc(cost)

    def judged(self, end: CaseEnd) -> None:
        """Counts a case."""
        self._cases.labels(end).inc()

    def spent(self, tenant: str) -> None:
        """Counts a call that a budget did not cover."""
        self._unpaid.labels(self._tenant(tenant)).inc()

    def breaker(self, state: BreakerState) -> None:
        """Shows the breaker's state."""
        for each in BreakerState:
            self._breaker.labels(each.value).set(each is state)
