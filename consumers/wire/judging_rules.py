"""How a tenant's answers are bounded and who judges them, as the rules write it."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scoring.rules import JudgePolicy, JudgeRules, WhenSpent, WhenUnavailable

_Share = Annotated[float, Field(strict=True, ge=0, le=1)]


class TiersDocument(BaseModel):
    """The lowest score of each tier above `poor`, strictly falling."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    excellent: float = Field(default=90, strict=True, ge=0, le=100, description="Lowest excellent score.")
    good: float = Field(default=75, strict=True, ge=0, le=100, description="Lowest good score.")
    marginal: float = Field(default=50, strict=True, ge=0, le=100, description="Lowest marginal score; then poor.")

    @model_validator(mode="after")
    def _fall(self) -> Self:
        if not self.excellent > self.good > self.marginal:
            raise ValueError(
                f"excellent {self.excellent:g} > good {self.good:g} > marginal {self.marginal:g} must hold"
            )
        return self


class ConfidenceDocument(BaseModel):
    """The confidence γ from which Γ is 1.0 (`full`) and 0.8 (`most`), falling."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    full: float = Field(default=0.85, strict=True, gt=0, le=1, description="Least γ that counts in full.")
    most: float = Field(default=0.65, strict=True, ge=0, lt=1, description="Least γ that counts by 0.8.")

    @model_validator(mode="after")
    def _fall(self) -> Self:
        if not self.full > self.most:
            raise ValueError(f"full {self.full:g} > most {self.most:g} must hold")
        return self


class JudgeDocument(BaseModel):
    """Who judges a tenant's answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: JudgePolicy = Field(default=JudgePolicy.LOCAL, description="local, llm or cascade.")
    bar: _Share = Field(default=0.75, description="Cascade: the local judge's confidence from which no model is asked.")
    watched_bar: _Share = Field(
        default=0.85, description="Cascade: the same, where it is higher, for agents under suspicion and new versions."
    )
    random_share: _Share = Field(
        default=0.0,
        description="Cascade: the share of answers from that confidence on that the model is asked about at random.",
    )
    budget: float | None = Field(
        default=None, strict=True, ge=0, allow_inf_nan=False, description="Money per day for model calls."
    )
    tokens: int | None = Field(
        default=None, strict=True, ge=0, le=10**15, description="Tokens per day for model calls."
    )
    when_unavailable: WhenUnavailable = Field(
        default=WhenUnavailable.LOCAL, description="If the model does not answer: use the local verdict, or defer."
    )
    when_spent: WhenSpent = Field(
        default=WhenSpent.LOCAL, description="If the budget is spent: use the local verdict, or leave unscored."
    )

    def rules(self) -> JudgeRules:
        """The judge rules ready to apply."""
        return JudgeRules(**{name: getattr(self, name) for name in type(self).model_fields})
