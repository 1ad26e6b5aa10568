"""Who judges a case, by the tenant's policy: at once from what this process knows, or by asking a model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from consumers.outcomes import DeferredReason
from scoring.query import Unscored, UnscoredReason
from scoring.rules import JudgePolicy
from scoring.verdict import Case, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The judges that are set up."""

    local: Callable[[Case], Reply]
    """The local judge: pure, safe in any thread."""

    def at_once(self, case: Case) -> Reply | None:
        """The verdict that needs no model; `None` where one must be asked."""
        return self.local(case) if case.rules.judge.policy is JudgePolicy.LOCAL else None

    async def ask(self, case: Case, *, tenant: str) -> Reply | Unscored | DeferredReason:
        """The verdict of a model, why there is none, or why to try again later."""
        policy = case.rules.judge.policy.value
        detail = f"the judge policy of {tenant} is {policy}, and no such judge is set up; use policy local"
        return Unscored(UnscoredReason.JUDGE_UNAVAILABLE, detail)
