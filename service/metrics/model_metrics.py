"""Counts model calls, cases, tokens and money, and shows the circuit breaker."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from typing import get_args

from consumers.judging.breaker import BreakerState
from consumers.judging.budgets import MICROS, Bound
from consumers.judging.ports import CallOutcome, CaseOutcome, FailureCause
from scoring.verdict import Verdict
from service.logs import log
from service.metrics.bounded_labels import OTHER
from service.metrics.declared import DeclaredMetrics
from service.storage.sums.statements import JUDGED_WRONG

_LOG_SECONDS = 60.0
"""Least seconds between two log lines about one cause."""
_SIDES = ("right", "wrong")


def _side(verdict: Verdict) -> str:
    return _SIDES[verdict.value in JUDGED_WRONG]


class ModelMetrics:
    """The `ModelCounts` that Prometheus scrapes."""

    def __init__(self, declared: DeclaredMetrics, tenant: Callable[[str], str]) -> None:
        self._of, self._tenant = declared, tenant
        self._logged: dict[FailureCause, float] = {}
        self.watch: Callable[[bool], None] = lambda answered: None
        """Called after each call, with whether the server answered it."""
        for outcome in get_args(CallOutcome):
            self._of.model_calls.labels(outcome)
        for outcome in get_args(CaseOutcome):
            self._of.model_cases.labels(outcome)
        for cause in FailureCause:
            self._of.model_no_reply.labels(cause.value)
        for local, model in product(_SIDES, repeat=2):
            self._of.model_agreement.labels(local, model)

    def called(self, outcome: CallOutcome, seconds: float) -> None:
        """Counts a call of the model."""
        self._of.model_calls.labels(outcome).inc()
        self._of.model_call_seconds.observe(seconds)
        self.watch(outcome != "failed")

    def paid(self, tenant: str, tokens_in: int, tokens_out: int, cost: float) -> None:
        """Counts the tokens and the price of a call."""
        label = self._tenant(tenant)
        self._of.model_tokens.labels(label, "sent").inc(tokens_in)
        self._of.model_tokens.labels(label, "received").inc(tokens_out)
        self._of.model_cost.labels(label).inc(cost)

    def judged(self, outcome: CaseOutcome) -> None:
        """Counts a case by how it ended."""
        self._of.model_cases.labels(outcome).inc()

    def no_reply(self, cause: FailureCause, detail: str) -> None:
        """Counts a case without a reply, and logs the cause, at most once a minute for each."""
        self._of.model_no_reply.labels(cause.value).inc()
        now = time.monotonic()
        if now >= self._logged.get(cause, -_LOG_SECONDS) + _LOG_SECONDS:
            self._logged[cause] = now
            log.warning("model_no_reply", cause=cause.value, detail=detail)

    def budget_spent(self, tenant: str) -> None:
        """Counts a call that the tenant's budget did not allow."""
        self._of.budget_spent.labels(self._tenant(tenant)).inc()

    def budget_left(self, tenant: str, left: Bound) -> None:
        """Shows the rest of a tenant's daily budget."""
        label = self._tenant(tenant)
        if label == OTHER:
            return
        if left.tokens is not None:
            self._of.budget_left.labels(label, "tokens").set(left.tokens)
        if left.micros is not None:
            self._of.budget_left.labels(label, "money").set(left.micros / MICROS)

    def compared(self, local: Verdict, model: Verdict) -> None:
        """Counts whether both judges agree on a case."""
        self._of.model_agreement.labels(_side(local), _side(model)).inc()

    def breaker_state(self, state: BreakerState) -> None:
        """Shows the breaker's state."""
        for each in BreakerState:
            self._of.breaker.labels(each.value).set(each is state)
