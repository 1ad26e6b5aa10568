"""From log-odds to `p_correct`: what no evidence predicts is left open, and no single signal makes the judge sure."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

from scoring.reason_kinds import PROOFS
from scoring.reasons import ReasonCode

ALONE = 0.16
"""The lowest `p_correct` that one signal can cause: just less sure than the γ of 0.85 that counts in full."""
LEAST_PROVED = 0.05
"""The lowest `p_correct` of SQL that is proved to answer nothing. A proof rests on a reading of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probability:
    """How log-odds become `p_correct`."""

    intercept: float
    """Log-odds of an answer on which no signal fires."""
    least: float = 0.0
    """The lowest `p_correct`, for evidence without limit: answers that look wrong, yet readers accept them."""
    most: float = 1.0
    """The highest `p_correct`."""
    alone: float = field(init=False, repr=False, compare=False)
    """The log-odds against an answer at which it reaches `ALONE`."""

    def __post_init__(self) -> None:
        share = (ALONE - self.least) / (self.most - self.least)
        reached = self.intercept - math.log(share / (1 - share)) if 0 < share < 1 else math.inf
        object.__setattr__(self, "alone", reached)

    def of(self, moves: Collection[tuple[ReasonCode, float]]) -> float:
        """`p_correct` = least + (most − least) × logistic(intercept + Σ moves), with two rules.

        A proof (`PROOFS`) is not bound by the label noise. Without one, a signal that outweighs all others against
        the answer counts as much as these, or as far as `ALONE`: below that, the judge needs a second signal.

        >>> judge = Probability(intercept=2.0)
        >>> alone = [(ReasonCode.FILTER_MISMATCHED, -9.0)]
        >>> round(judge.of(alone), 2), round(judge.of([*alone, (ReasonCode.ORDER_FLIPPED, -3.0)]), 2)
        (0.16, 0.02)
        """
        total = self.intercept + math.fsum([move for _, move in moves])
        least = self.least
        if not PROOFS.isdisjoint([code for code, _ in moves]):
            least = min(least, LEAST_PROVED)
        elif against := [-move for _, move in moves if move < 0]:
            whole = math.fsum(against)
            if whole > self.alone:
                total += max(0.0, whole - max(2 * (whole - max(against)), self.alone))
        return least + (self.most - least) * _logistic(total)


def _logistic(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))
