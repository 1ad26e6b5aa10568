"""The verdicts that a model gave on a random sample of the answers: what an estimate needs to know of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from evals.estimate.score_counts import Probabilities

LEAST_ASKED = 1e-6
"""A smaller recorded probability counts as this one: a single verdict would outweigh all others."""


class ModelVerdict(NamedTuple):
    """What a model said of one answer."""

    p: float
    """Its probability that the answer is right."""
    local: float | None = None
    """The local judge's probability of the same answer; `None` without a score."""
    probability: float | None = None
    """The probability with which the model was asked; `None` where every answer could be asked alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSample:
    """The weighted moments of a model's verdicts on a random sample."""

    verdicts: int
    mean: float
    """Of the model's probabilities."""
    variance: float
    """Of the same."""
    local_mean: float
    """Of the local judge's probabilities of these answers."""
    covariance: float
    """Of both."""
    local_variance: float
    spread: float
    """By which the variance of a value is multiplied to give that of its mean; 0 where every answer was asked."""

    @classmethod
    def of(cls, verdicts: Sequence[ModelVerdict], answers: Probabilities) -> Self:
        """Of these verdicts, of which either each has a probability or none has.

        >>> said = [ModelVerdict(0.9, 0.8), ModelVerdict(0.1, 0.6)]
        >>> found = ModelSample.of(said, Probabilities.of([0.8, 0.6, 0.7, 0.7]))
        >>> round(found.mean, 2), round(found.variance, 2), round(found.covariance, 2), found.spread
        (0.5, 0.16, 0.04, 0.25)
        """
        model = np.array([each.p for each in verdicts], dtype=np.float64)
        local = answers.mean + np.array([answers.deviation(each.local) for each in verdicts], dtype=np.float64)
        given = [each.probability for each in verdicts]
        asked = np.maximum([1.0 if each is None else each for each in given], LEAST_ASKED)
        weights = 1 / asked
        weights /= weights.sum()
        mean, local_mean = float(weights @ model), float(weights @ local)
        left_out = asked if all(each is not None for each in given) else len(verdicts) / max(1, answers.answers)
        return cls(
            verdicts=len(verdicts),
            mean=mean,
            variance=float(weights @ (model - mean) ** 2),
            local_mean=local_mean,
            covariance=float(weights @ ((model - mean) * (local - local_mean))),
            local_variance=float(weights @ (local - local_mean) ** 2),
            spread=max(0.0, float((weights**2 * (1 - left_out)).sum())),
        )
