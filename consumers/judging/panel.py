"""Decides by the tenant's policy whether the local judge or a model judges a case."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace

from consumers.evaluation.outcomes import DeferredReason
from consumers.judging.asking import AskModel, NoReply, NoReplyReason
from consumers.judging.breaker import BreakerState
from consumers.judging.ports import CaseOutcome
from scoring.judging.combination import RIGHT
from scoring.query import Unscored, UnscoredReason
from scoring.reason_kinds import PROOFS
from scoring.rules import JudgePolicy, WhenSpent, WhenUnavailable
from scoring.verdict import Case, Reply


def uncounted(where: str, error: Exception) -> None:
    """Drops a bug: for commands that count none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The configured judges."""

    local: Callable[[Case], Reply]
    """The local judge: pure, safe in any thread."""
    model: AskModel | None = None
    """The model judge, if one is configured."""
    failed: Callable[[str, Exception], None] = uncounted
    """Counts and logs a bug."""
    draw: Callable[[], float] = random.random
    """A random number in [0, 1): which sure answers of a cascade the model is asked about too."""

    def breaker(self) -> BreakerState:
        """The state of the model's breaker; closed without a model."""
        return BreakerState.CLOSED if self.model is None else self.model.breaker_state()

    def at_once(self, case: Case) -> Reply | None:
        """The verdict that needs no model; `None` where one must be asked. Safe in any thread.

        A cascade asks about no fault that is proved from the SQL: no model may lift it.
        """
        judge = case.rules.judge
        if judge.policy is JudgePolicy.LOCAL or case.ran_nothing:
            return self.local(case)
        if judge.policy is JudgePolicy.LLM:
            return None
        reply = self.local(case)
        if reply.verdict not in RIGHT and any(reason.code in PROOFS for reason in reply.reasons):
            return reply
        return reply if self.draw() >= asked_probability(case, reply) else None

    async def ask(self, case: Case, *, tenant: str) -> Reply | Unscored | DeferredReason:
        """Returns a model's verdict, its fallback, why there is no score, or why to try later.

        Raises only `CancelledError`.
        """
        if self.model is None:
            policy = case.rules.judge.policy.value
            detail = f"the judge policy of {tenant} is {policy}, and no model is configured; use policy local"
            return Unscored(UnscoredReason.JUDGE_UNAVAILABLE, detail)
        try:
            own, reply = await self.model(case, tenant, self.local)
        except Exception as error:
            self.failed("judge", error)
            return Unscored(
                UnscoredReason.SCORER_FAILED, f"the judge failed ({type(error).__name__}); please report it"
            )
        if isinstance(reply, Reply):
            reply = replace(reply, asked_probability=asked_probability(case, own))
        result = _fallback(case, own, reply, self.model.model_name) if isinstance(reply, NoReply) else reply
        if isinstance(reply, NoReply):
            self.model.counts.no_reply(reply.cause, reply.detail)
        self.model.counts.judged(_outcome(result))
        if isinstance(reply, Reply):
            self.model.counts.compared(own.verdict, reply.verdict)
        return result


def asked_probability(case: Case, local: Reply) -> float:
    """The probability with which the tenant's rules ask a model about this case."""
    rules = case.rules.judge
    bar = max(rules.bar, rules.watched_bar) if case.query.watched else rules.bar
    sure = rules.policy is JudgePolicy.CASCADE and local.confidence >= bar
    return rules.random_share if sure else 1.0


def _fallback(case: Case, own: Reply, no_reply: NoReply, model: str) -> Reply | Unscored | DeferredReason:
    """The tenant's configured fallback."""
    rules, local = case.rules.judge, replace(own, fallback=True, model=model, rationale=no_reply.detail)
    if no_reply.reason is NoReplyReason.SPENT:
        is_local = rules.when_spent is WhenSpent.LOCAL
        return local if is_local else Unscored(UnscoredReason.BUDGET_SPENT, no_reply.detail)
    if rules.when_unavailable is WhenUnavailable.LOCAL:
        return local
    # deferring does not help: the prompt cannot be sent later either
    if no_reply.reason is NoReplyReason.NOT_SENT:
        return Unscored(UnscoredReason.JUDGE_NOT_ASKED, no_reply.detail)
    return DeferredReason.JUDGE_UNAVAILABLE


def _outcome(result: Reply | Unscored | DeferredReason) -> CaseOutcome:
    if isinstance(result, Reply):
        return "fallback" if result.fallback else "cached" if result.cached else "replied"
    return "unscored" if isinstance(result, Unscored) else "deferred"
