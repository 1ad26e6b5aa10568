"""Simulates the alerts on fixed windows: what the rules of `deploy/` say of such agents, at their default conditions.

Counts are kept for every ten minutes, and the rules are asked at the end of each. Windows of five minutes have ten.
"""

from __future__ import annotations

from collections.abc import Mapping
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

    long: int = 6
    """Windows are in buckets of ten minutes."""
    short: int = 1
    min_count: int = 30
    min_short_count: int = 5
    tier: float = 50.0
    judged_wrong: float = 0.2
    drop: float = 10.0
    drop_window: int = 36
    baseline: int = 1008
    fast: tuple[int, int] = (6, 1)
    slow: tuple[int, int] = (36, 3)
    fast_bound: float = 0.864
    slow_bound: float = 0.576


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What an agent's counters rose by in each bucket."""

    answers: Floats
    scores: Floats
    judged_wrong: Floats
    below_good: Floats

    def over(self, name: str, window: int, *, ago: int = 0) -> Floats:
        """The increase over the window that ended `ago` buckets before each bucket's end."""
        return _increase(getattr(self, name), window, ago)

    def mean(self, name: str, window: int, *, least: int, ago: int = 0) -> Floats:
        """The increase of a counter per answer, `nan` where answers are too few: a comparison with it is false."""
        count = self.over("answers", window, ago=ago)
        enough = count >= max(least, 1)
        return np.where(enough, self.over(name, window, ago=ago) / np.maximum(count, 1), np.nan)


def _increase(counts: Floats, window: int, ago: int) -> Floats:
    total = np.concatenate([[0.0], np.cumsum(counts)])
    ends = np.arange(1, len(counts) + 1) - ago
    return total[np.maximum(ends, 0)] - total[np.maximum(ends - window, 0)]


def draw_counts(random: np.random.Generator, bins: JudgedBins, shares: Floats, a_day: float, buckets: int) -> Counted:
    """Counters of an agent whose answers come at random with these shares of the bins."""
    drawn = random.poisson(shares * a_day / BUCKETS_A_DAY, size=(buckets, len(shares))).astype(float)
    return Counted(
        answers=drawn.sum(axis=1),
        scores=drawn @ bins.scores,
        judged_wrong=drawn @ bins.judged_wrong,
        below_good=drawn @ bins.below_good,
    )


def joined(first: Counted, then: Counted) -> Counted:
    """One stretch of time after another."""
    names = ("answers", "scores", "judged_wrong", "below_good")
    return Counted(**{name: np.concatenate([getattr(first, name), getattr(then, name)]) for name in names})


def firing(counted: Counted, conditions: WindowConditions) -> Mapping[str, Flags]:
    """When each alert fires: in buckets that fulfil its condition as the one before did, for the alert's `for`."""
    of = conditions
    long = {name: counted.mean(name, of.long, least=of.min_count) for name in ("scores", "judged_wrong")}
    short = {name: counted.mean(name, of.short, least=of.min_short_count) for name in ("scores", "judged_wrong")}
    lately = counted.mean("scores", of.drop_window, least=of.min_count)
    baseline = counted.mean("scores", of.baseline, least=of.min_count, ago=of.drop_window)
    found = {
        "SQLAssayMeanBelowTier": (long["scores"] < of.tier) & (short["scores"] < of.tier),
        "SQLAssayJudgedWrongHigh": (long["judged_wrong"] > of.judged_wrong) & (short["judged_wrong"] > of.judged_wrong),
        "SQLAssaySuddenDrop": baseline - lately > of.drop,
        "SQLAssayErrorBudgetBurn": _burns(counted, of.fast, of.fast_bound, of)
        | _burns(counted, of.slow, of.slow_bound, of),
    }
    return {name: held & np.concatenate([[False], held[:-1]]) for name, held in found.items()}


def _burns(counted: Counted, windows: tuple[int, int], bound: float, of: WindowConditions) -> Flags:
    long, short = windows
    return (counted.mean("below_good", long, least=of.min_count) > bound) & (
        counted.mean("below_good", short, least=of.min_short_count) > bound
    )


def alarms_raised(fires: Flags) -> int:
    """How often an alert began to fire.

    >>> alarms_raised(np.array([False, True, True, False, True]))
    2
    """
    return int(fires[0]) + int((fires[1:] & ~fires[:-1]).sum())
