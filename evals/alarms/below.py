"""Whether an agent's mean score is below its tenant's bound.

The bets are those for the mean of bounded numbers (Waudby-Smith and Ramdas, "Estimating means of bounded random
variables by betting", 2024, section 4): fair for every distribution of scores whose mean is the bound.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from evals.alarms.detector import HEAD_START, LIMIT, RECOVERY, Detector

STAKES = (0.06, 0.15, 0.35, 0.8)
"""Shares of the largest bet that no score can ruin."""
_RECOVERY_STAKE = 0.25


def bet_below(score: float, bound: float, stake: float) -> float:
    """How much a score, from 0 to 100, multiplies a bet that the mean is below the bound.

    >>> bet_below(50.0, 50.0, 0.8), bet_below(0.0, 50.0, 0.8), bet_below(100.0, 50.0, 0.8)
    (1.0, 1.8, 0.19999999999999996)
    """
    return 1 + stake * (bound - score) / max(100 - bound, 1.0)


def bet_above(score: float, bound: float, stake: float) -> float:
    """How much a score multiplies a bet that the mean is above the bound."""
    return 1 + stake * (score - bound) / max(bound, 1.0)


@dataclass(slots=True)
class BelowAlarm:
    """The alarm on an agent's scores against the lowest score of a tier."""

    bound: float | None = None
    """The bound that the evidence is about. Another bound begins anew."""
    detector: Detector = field(default_factory=lambda: Detector.of(len(STAKES), HEAD_START))
    on: bool = False
    recovery: float = 0.0
    """Log evidence, while it is on, that the mean is above the bound."""

    def add(self, score: float, bound: float, years: float, weight: float) -> None:
        """Adds an answer's score, of this weight, that came so long after the one before."""
        if bound != self.bound:
            if self.bound is not None:
                self.on, self.recovery = False, 0.0
                self.detector.clear()
            self.bound = bound
        if self.on:
            self.recovery = max(0.0, self.recovery + weight * math.log(bet_above(score, bound, _RECOVERY_STAKE)))
            if self.recovery >= math.log(RECOVERY):
                self.on, self.recovery = False, 0.0
                self.detector.clear()
            return
        self.detector.add(years, [bet_below(score, bound, stake) ** weight for stake in STAKES])
        if self.detector.total >= LIMIT:
            self.on, self.recovery = True, 0.0
