"""How the packaged judge scores right and wrong answers, as counts: what the simulation draws from.

Counted on the 2,470 scored answers of ten agents of the development set, whose labels say whether they are right;
`tests/evals/test_judged_bins.py` counts some of them again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evals.alarms.simulation import Bins, Floats

_RIGHT = "0 0 42 51 18 1 3 109 10 7 54 32 8 104 70 119 150 318 534 10"
_WRONG = "0 6 185 42 9 11 4 139 5 6 43 17 1 72 30 44 30 59 127 0"
_SCORES = "35 35 28.4 28.6 29 30.7 30.9 29.9 30 32.3 32.4 36.3 40 72.8 69.5 76.6 78.8 98.6 99.7 100"
"""Mean score of the answers of each bin; the first bin holds none."""
_BELOW_GOOD = "1 1 1 1 1 1 1 1 1 1 1 1 1 0.33 0.6 0.23 0.089 0.011 0 0"
"""The share of the answers of each bin that are in a tier below Good."""
_WRONG_BELOW = 10
"""The bin below which an answer is judged wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedBins:
    """Bins of `p_alone`, and what the alerts of Prometheus count of an answer in each."""

    shares: Bins
    scores: Floats
    judged_wrong: Floats
    below_good: Floats


def development_bins() -> JudgedBins:
    """The counts of the development set.

    >>> bins = development_bins()
    >>> [round(float(bins.shares.mixed(share) @ bins.judged_wrong), 2) for share in (0.9, 0.5)]
    [0.18, 0.32]
    """
    right, wrong = (np.array([float(count) for count in counts.split()]) + 0.5 for counts in (_RIGHT, _WRONG))
    places = np.arange(len(right))
    return JudgedBins(
        shares=Bins(right=right / right.sum(), wrong=wrong / wrong.sum()),
        scores=np.array([float(score) for score in _SCORES.split()]),
        judged_wrong=(places < _WRONG_BELOW).astype(float),
        below_good=np.array([float(share) for share in _BELOW_GOOD.split()]),
    )
