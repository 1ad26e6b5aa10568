"""How soon an alarm can come at best, to first order: for a limit of ever more answers between false alarms.

A test that raises at most one false alarm in so many answers, in any stretch of them, finds a change only once the
answers since are that much likelier with it than without. The bounds leave out that a delay is a stretch too, which
takes its own logarithm off: so an alarm may come sooner than they say, and they serve to compare.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_Shares = NDArray[np.float64]


def information(before: _Shares, after: _Shares) -> float:
    """Nats that one answer gives on average about the change: the divergence of Kullback and Leibler.

    >>> round(information(np.array([0.5, 0.5]), np.array([0.75, 0.25])), 4)
    0.1308
    """
    held = after > 0
    return float((after[held] * np.log(after[held] / before[held])).sum())


def theoretical_delay(before: _Shares, after: _Shares, answers_between: float) -> float:
    """Answers until an alarm with so many answers between false ones, at best: log(answers) ÷ information (Lorden)."""
    return math.log(answers_between) / information(before, after)


def information_with_past(before: _Shares, after: _Shares, past: float, answers: float) -> float:
    """Nats that so many answers give about the change together with the past, if only the past says what was before.

    The test's promise holds whatever the answers are like, so also if all of them, past and new, come from the mixture
    of both: of all ways in which nothing changed that is the hardest to tell from the change (Gutman, "Asymptotically
    optimal classification for multiple tests with empirically observed statistics", 1989).

    >>> before, after = np.array([0.5, 0.5]), np.array([0.75, 0.25])
    >>> [round(information_with_past(before, after, past, 10), 3) for past in (10, 1e9)]
    [0.676, 1.308]
    """
    mixed = (past * before + answers * after) / (past + answers)
    return past * information(mixed, before) + answers * information(mixed, after)


def theoretical_delay_with_past(before: _Shares, after: _Shares, answers_between: float, past: int) -> float:
    """Answers until an alarm at best, for a test that keeps its promise whatever the answers before were like.

    Infinite where the past is so short that no number of answers after the change gives as much information.
    """
    needed = math.log(answers_between)
    if past * information(after, before) <= needed:  # what endless answers would give
        return math.inf
    low, high = 0.0, 1.0
    while information_with_past(before, after, past, high) < needed:
        low, high = high, 2 * high
    while high - low > 0.01:
        middle = (low + high) / 2
        enough = information_with_past(before, after, past, middle) >= needed
        low, high = (low, middle) if enough else (middle, high)
    return high
