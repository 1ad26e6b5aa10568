"""The budget of a run that learns rules: what a failed call counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from consumers.judging.calling import BudgetSpent
from consumers.judging.ports import Completion, ModelFailed
from service.pipeline.rule_learning.call_budget import BudgetedModel, CallBudget


@dataclass(frozen=True)
class FailingModel:
    """Refuses each call, billed or not."""

    billed: bool
    name: str = "made"
    max_tokens: int = 100

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        raise ModelFailed("refused", billed=self.billed)


@pytest.mark.parametrize(("billed", "tokens"), [(False, 0), (True, 102)])
async def test_a_refused_call_counts_without_tokens_unless_it_may_be_billed(billed: bool, tokens: int) -> None:
    budget = CallBudget(most_calls=2, most_tokens=250)
    model = BudgetedModel(FailingModel(billed), budget)
    for _ in range(2):
        with pytest.raises(ModelFailed):
            await model.complete("abc", "def", {}, seconds=1)
    assert (budget.calls, budget.tokens) == (2, 2 * tokens)
    with pytest.raises(BudgetSpent):
        await model.complete("abc", "def", {}, seconds=1)
