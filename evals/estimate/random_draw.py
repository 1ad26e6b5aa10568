"""Whether labelled answers look like a random draw from all answers, by their probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, log1p

import numpy as np

from evals.estimate.score_counts import Floats, Probabilities, ScoreCounts

REFUSED = 0.001
"""A random draw is taken for another one in at most this share of calls, however many groups a call checks."""
_SIDES = 2
_FIGURES: tuple[Callable[[Floats, float], Floats], ...] = (
    lambda deviations, _: deviations,
    lambda deviations, variance: deviations**2 - variance,
)
"""What is compared: how high the probabilities are, and how far from their mean. Both are 0 on average."""
_STRENGTHS = np.concatenate([[0.0], np.geomspace(0.05, 3000, 160)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """The answers of a group, and which of them have labels."""

    answers: ScoreCounts
    places: Sequence[int | None]
    """`hundredth` of the probability of each labelled answer."""


def unlikely_draws(draws: Sequence[Draw]) -> list[int]:
    """The places of the draws that are visibly not random; all of them where only their sum is.

    The chance of a random draw at least as extreme is bounded from above (Chernoff; Hoeffding, 1963, for draws without
    replacement), so the bound holds for a few labels of any distribution too.

    >>> answers = ScoreCounts.of([place // 2 for place in range(200)])
    >>> unlikely_draws([Draw(answers=answers, places=range(1, 11))])
    [0]
    >>> unlikely_draws([Draw(answers=answers, places=range(1, 100, 10))])
    []
    """
    bound = log(REFUSED / (len(_FIGURES) * _SIDES * (len(draws) + (len(draws) > 1)))) if draws else 0.0
    alone = [place for place, draw in enumerate(draws) if _log_chance([draw]) < bound]
    return alone or (list(range(len(draws))) if _log_chance(draws) < bound else [])


def has_unlikely_mean(answers: Probabilities, labelled: Sequence[float | None]) -> bool:
    """Whether the mean probability of the labelled answers is visibly not that of a random draw.

    It needs only the mean and the variance of all answers (Bennett's bound), and sees less than `unlikely_draws`.

    >>> answers = Probabilities.of([place / 100 for place in range(100)])
    >>> has_unlikely_mean(answers, [0.1] * 20), has_unlikely_mean(answers, [0.2, 0.9, 0.4])
    (True, False)
    """
    apart = sum(answers.deviation(each) for each in labelled) / max(1, len(labelled))
    if not apart or not answers.variance:
        return False
    # as far as one probability can be away on this side
    most = 1 - answers.mean if apart > 0 else answers.mean
    ratio = most * abs(apart) / answers.variance
    exponent = len(labelled) * answers.variance / most**2 * ((1 + ratio) * log1p(ratio) - ratio)
    return exponent > log(_SIDES / REFUSED)


def _log_chance(draws: Sequence[Draw]) -> float:
    """The logarithm of the largest chance of a sum as extreme as that of the draws, over figures and sides."""
    chances: list[float] = []
    for figure in _FIGURES:
        total, moments = 0.0, np.zeros((2, len(_STRENGTHS)))
        for draw in draws:
            variance = draw.answers.variance
            if not variance or not draw.places:
                continue
            deviations, shares = draw.answers.deviations()
            values = figure(deviations, variance)
            total += float(figure(np.array([draw.answers.deviation(each) for each in draw.places]), variance).sum())
            for side, sign in enumerate((1, -1)):
                powers = np.outer(_STRENGTHS, sign * values)
                top = powers.max(axis=1)
                moments[side] += len(draw.places) * (np.log(np.exp(powers - top[:, None]) @ shares) + top)
        chances += [float((moments[side] - _STRENGTHS * sign * total).min()) for side, sign in enumerate((1, -1))]
    return min(chances, default=0.0)
