"""Bounds what a run may spend on all its models together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from consumers.judging.calling import BudgetSpent
from consumers.judging.ports import Completion, Model, ModelFailed

_BYTES_PER_TOKEN = 3


@dataclass(slots=True)
class CallBudget:
    """Calls and tokens of one run: reserved before a call, settled after it."""

    most_calls: int | None = None
    most_tokens: int | None = None
    calls: int = 0
    tokens: int = 0

    def reserve(self, tokens: int) -> None:
        """Counts a call and its estimated tokens; raises `BudgetSpent` where they do not fit."""
        too_many = self.most_calls is not None and self.calls >= self.most_calls
        if too_many or (self.most_tokens is not None and self.tokens + tokens > self.most_tokens):
            raise BudgetSpent
        self.calls += 1
        self.tokens += tokens

    def settle(self, estimated: int, counted: int) -> None:
        """Replaces the estimate by what the server counted."""
        self.tokens += counted - estimated


@dataclass(frozen=True, slots=True)
class BudgetedModel:
    """A `Model` whose calls count against the budget of the run."""

    model: Model
    budget: CallBudget

    @property
    def name(self) -> str:
        """The model as its server knows it."""
        return self.model.name

    @property
    def max_tokens(self) -> int:
        """Most tokens of a reply."""
        return self.model.max_tokens

    async def complete(self, system: str, user: str, schema: Mapping[str, object], *, seconds: float) -> Completion:
        """Calls the model once; raises `BudgetSpent` or `ModelFailed`. A refused call counts without tokens."""
        estimated = len((system + user).encode()) // _BYTES_PER_TOKEN + self.max_tokens
        self.budget.reserve(estimated)
        try:
            completion = await self.model.complete(system, user, schema, seconds=seconds)
        except ModelFailed as error:
            if not error.billed:
                self.budget.settle(estimated, 0)
            raise
        if completion.tokens_in is not None and completion.tokens_out is not None:
            self.budget.settle(estimated, completion.tokens_in + completion.tokens_out)
        return completion
