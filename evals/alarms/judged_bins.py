"""How the packaged judge scores right and wrong answers, as counts: what the simulation draws from.

Counted on the 2,471 scored answers of ten agents of the development set, whose labels say whether they are right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evals.alarms.simulation import Bins, Floats

_RIGHT = "0 0 7 15 23 25 19 50 53 62 54 87 79 91 121 244 379 331 0 0"
_WRONG = "0 20 40 83 50 50 30 53 38 55 26 57 53 73 44 64 56 39 0 0"
_SCORES = "10 15.5 19.6 26.1 23.7 30.8 27.3 28.6 27.4 30.2 35.3 35.9 37.8 76.4 76.1 77.6 79 100 100 100"
"""Mean score of the answers of each bin; the two outer bins hold none."""
_WRONG_BELOW, _GOOD_FROM = 10, 13
"""Bins in which an answer is judged wrong, and from which it is Good."""


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
    [0.19, 0.33]
    """
    right, wrong = (np.array([float(count) for count in counts.split()]) + 0.5 for counts in (_RIGHT, _WRONG))
    places = np.arange(len(right))
    return JudgedBins(
        shares=Bins(right=right / right.sum(), wrong=wrong / wrong.sum()),
        scores=np.array([float(score) for score in _SCORES.split()]),
        judged_wrong=(places < _WRONG_BELOW).astype(float),
        below_good=(places < _GOOD_FROM).astype(float),
    )
