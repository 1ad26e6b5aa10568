"""Compares two judges on the same answers, with significance tests."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binomtest

from evals.agreement import Judged, rank_auc


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """How two judges differ."""

    only_first: int
    """Answers on which only the first judge agrees with the label."""
    only_second: int
    p_value: float
    """Exact McNemar test: the probability of such a split between equally good judges."""
    auc_gain: float
    """AUC of the second judge minus AUC of the first."""
    auc_interval: tuple[float, float]
    """The 95 % interval, by resampling whole groups."""


def pair(first: Sequence[Judged], second: Sequence[Judged], *, draws: int = 300, seed: int = 0) -> Paired:
    """Compares judges on the answers that both judged. Raises `ValueError` when there are none."""
    others = {row.id: row for row in second}
    both = [(row, others[row.id]) for row in first if row.id in others]
    if not both:
        raise ValueError("the two judges share no answer: their ids differ")
    only_first = sum(one.agrees and not other.agrees for one, other in both)
    only_second = sum(other.agrees and not one.agrees for one, other in both)
    differing = only_first + only_second
    gains = _gains(both, draws, seed)
    low, high = np.nanpercentile(gains[1:], [2.5, 97.5])
    return Paired(
        only_first=only_first,
        only_second=only_second,
        p_value=float(binomtest(only_first, differing).pvalue) if differing else 1.0,
        auc_gain=gains[0],
        auc_interval=(float(low), float(high)),
    )


def _gains(both: Sequence[tuple[Judged, Judged]], draws: int, seed: int) -> list[float]:
    """The gain in AUC on all answers, followed by the gain on each resampling."""
    groups: dict[str, list[int]] = {}
    for place, (row, _) in enumerate(both):
        groups.setdefault(row.group, []).append(place)
    members = [np.array(each) for each in groups.values()]
    one, two = (np.array([rows[side].p_correct for rows in both]) for side in (0, 1))
    correct = np.array([row.correct for row, _ in both], dtype=bool)
    dice = np.random.default_rng(seed)
    drawn = (
        np.concatenate([members[each] for each in dice.integers(0, len(members), len(members))]) for _ in range(draws)
    )
    everything = np.arange(len(both))
    return [
        rank_auc(two[places], correct[places]) - rank_auc(one[places], correct[places])
        for places in (everything, *drawn)
    ]
