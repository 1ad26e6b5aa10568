"""Who judges a case, by the tenant's policy: at once from what this process knows, or by asking a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from consumers.evaluation.outcomes import DeferredReason
from consumers.judging.asking import AskModel, NotAsked, Unasked
from consumers.judging.breaker import BreakerState
from consumers.judging.ports import CaseEnd
from scoring.query import Unscored, UnscoredReason
from scoring.rules import JudgePolicy, WhenSpent, WhenUnavailable
from scoring.verdict import Case, Reply


def uncounted(where: str, error: Exception) -> None:
    """Nobody counts bugs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The judges that are set up."""

    local: Callable[[Case], Reply]
    """The local judge: pure, safe in any thread."""
    model: AskModel | None = None
    """The model judge, where one is set up."""
    failed: Callable[[str, Exception], None] = uncounted
    """Counts and logs a bug."""

    def breaker(self) -> BreakerState:
        """Whether the model is asked; closed where there is none to leave alone."""
        return BreakerState.CLOSED if self.model is None else self.model.breaker.state(self.model.timer())

    def at_once(self, case: Case) -> Reply | None:
        """The verdict that needs no model; `None` where one must be asked. Pure, safe in any thread."""
        judge = case.rules.judge
        if judge.policy is JudgePolicy.LOCAL or case.unparseable is not None:
            return self.local(case)
        if judge.policy is JudgePolicy.LLM:
            return None
        reply = self.local(case)
        return reply if reply.confidence >= judge.bar else None

    async def ask(self, case: Case, *, tenant: str) -> Reply | Unscored | DeferredReason:
        """The verdict of a model, what stands in for it, why there is none, or why to try again later.

        Raises nothing but `CancelledError`.
        """
        if self.model is None:
            policy = case.rules.judge.policy.value
            detail = f"the judge policy of {tenant} is {policy}, and no such judge is set up; use policy local"
            return Unscored(UnscoredReason.JUDGE_UNAVAILABLE, detail)
        try:
            own, said = await self.model(case, tenant, self.local)
        except Exception as error:
            self.failed("judge", error)
            return Unscored(
                UnscoredReason.SCORER_FAILED, f"the judge failed ({type(error).__name__}); please report it"
            )
        end = _in_place(case, own, said, self.model.model.name) if isinstance(said, Unasked) else said
        self.model.counts.judged(_named(end))
        if isinstance(said, Reply):
            self.model.counts.compared(own.verdict, said.verdict)
        return end


def _in_place(case: Case, own: Reply, said: Unasked, model: str) -> Reply | Unscored | DeferredReason:
    """What the tenant's rules put in place of a reply that was not had."""
    rules, marked = case.rules.judge, replace(own, fallback=True, model=model)
    if said.why is NotAsked.SPENT:
        is_local = rules.when_spent is WhenSpent.LOCAL
        return marked if is_local else Unscored(UnscoredReason.BUDGET_SPENT, said.detail)
    if rules.when_unavailable is WhenUnavailable.LOCAL:
        return marked
    # what may not be sent may not be sent later either
    if said.why is NotAsked.NOT_SENT:
        return Unscored(UnscoredReason.JUDGE_NOT_ASKED, said.detail)
    return DeferredReason.JUDGE_UNAVAILABLE


def _named(end: Reply | Unscored | DeferredReason) -> CaseEnd:
    if isinstance(end, Reply):
        return "fallback" if end.fallback else "cached" if end.cached else "replied"
    return "unscored" if isinstance(end, Unscored) else "deferred"
