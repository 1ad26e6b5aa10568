"""Simulates the alert on fixed windows: what its rule in `deploy/` says of such agents, at the default conditions.

Counts are kept for every ten minutes, and the rule is asked at the end of each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evals.alarms.judged_bins import JudgedBins
from evals.alarms.simulation import Floats

Flags = NDArray[np.bool_]
BUCKETS_A_DAY = 144
"""Ten minutes each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowConditions:
    """The defaults of `alerts.conditions` of the chart. A test compares them."""

    min_count: int = 30
    min_short_count: int = 5
    sure: float = 4.0
    budget: tuple[int, int] = (36, 3)
    """The long and the short window, in buckets of ten minutes."""
    budget_bound: float = 0.576


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What an agent's counters rose by in each bucket."""

    answers: Floats
    below_good: Floats

    def over(self, name: str, window: int) -> Floats:
        """The increase over the window that ends with each bucket."""
        total = np.concatenate([[0.0], np.cumsum(getattr(self, name))])
        ends = np.arange(1, len(total))
        return total[ends] - total[np.maximum(ends - window, 0)]

    def share(self, name: str, window: int, *, least: int) -> Floats:
        """The increase of a counter per answer, `nan` where answers are too few: a comparison with it is false."""
        count = self.over("answers", window)
        return np.where(count >= max(least, 1), self.over(name, window) / np.maximum(count, 1), np.nan)


def draw_counts(random: np.random.Generator, bins: JudgedBins, shares: Floats, a_day: float, buckets: int) -> Counted:
    """Counters of an agent whose answers come at random with these shares of the bins."""
    drawn = random.poisson(shares * a_day / BUCKETS_A_DAY, size=(buckets, len(shares))).astype(float)
    return Counted(
        answers=drawn.sum(axis=1),
        below_good=drawn @ bins.below_good,
    )


def firing(counted: Counted, of: WindowConditions) -> Flags:
    """When `SQLAssayErrorBudgetBurn` fires: in buckets that fulfil its condition as the one before did."""
    (long, short), bound = of.budget, of.budget_bound
    surely = bound + of.sure * np.sqrt(bound * (1 - bound) / np.maximum(counted.over("answers", long), 1))
    held = (counted.share("below_good", long, least=of.min_count) > surely) & (
        counted.share("below_good", short, least=of.min_short_count) > bound
    )
    return held & np.concatenate([[False], held[:-1]])


def alarms_raised(fires: Flags) -> int:
    """How often an alert began to fire.

    >>> alarms_raised(np.array([False, True, True, False, True]))
    2
    """
    return int(fires[0]) + int((fires[1:] & ~fires[:-1]).sum())
