"""The share of right answers from three layers: labels of few, a model's verdicts on a sample, local scores of all.

Labels correct the model's verdicts, and the verdicts correct the local scores (PPI++ in two phases; Neyman's double
sampling). The estimate is unbiased however bad the model and the local judge are: only the draws must be random. The
interval is Clopper and Pearson's for the number of plain labels that would be as exact, so it also holds near 0 and 1.
docs/adr/0065 says what was compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from scipy.special import ndtri, stdtrit

from evals.estimate.exact_intervals import of_sample
from evals.estimate.model_sample import ModelSample
from evals.estimate.right_share import (
    ROUNDING,
    LabelledScore,
    Method,
    ShareEstimate,
    drawn_alike,
    estimate_share,
    label_weights,
    variance_of_mean,
)
from evals.estimate.score_counts import Floats, Probabilities

USUAL_SLOPES = np.array([0.8, 0.1])
"""How much likelier an answer is right per unit of the model's and of the local probability, before any label."""
USUAL_LABELS = 10
"""How many labels `USUAL_SLOPES` count for."""
USUAL_LEFT, USUAL_LEFT_LABELS = 0.4, 4
"""The share of the labels' variance that the model leaves, before any label, and for how many labels it counts.

Without it a model that was right on all of few labels would be believed to be always right.
"""
PLAIN_LEVEL = 0.9
"""The level at which `USUAL_LEFT` alone makes intervals wide enough, in simulations."""
LEAST_LEFT = 1e-9


@dataclass(frozen=True, slots=True)
class _Fit:
    """The estimate and the variances of its two parts."""

    share: float
    of_labels: float
    of_verdicts: float


def estimate_layers(
    answers: Probabilities, labels: Sequence[LabelledScore], sample: ModelSample, *, level: float
) -> ShareEstimate:
    """Estimates the share of right answers from labels of answers that the model judged too (`LabelledScore.model`).

    Either all labels have a probability or none has. The interval is about these answers, not about future ones.

    >>> from evals.estimate.model_sample import ModelVerdict
    >>> answers = Probabilities.of([0.9] * 120 + [0.3] * 80)
    >>> said = [ModelVerdict(0.9, 0.9)] * 60 + [ModelVerdict(0.1, 0.3)] * 40
    >>> right, wrong = LabelledScore(right=1, p=0.9, model=0.9), LabelledScore(right=0, p=0.3, model=0.1)
    >>> found = estimate_layers(answers, [right] * 12 + [wrong] * 8, ModelSample.of(said, answers), level=0.9)
    >>> round(found.share or 0, 2), found.low, found.high, found.verdicts, found.method.value
    (0.6, 0.54, 0.655, 100, 'ppi++ with model')
    """
    right = np.array([each.right for each in labels])
    rarer = float(min(right.sum(), (1 - right).sum()))
    if rarer <= 1 or len(labels) >= answers.answers:
        # too few labels of one kind to tell how far the model may be believed
        return estimate_share(answers, labels, level=level)
    weights, total = label_weights(labels), answers.answers
    alone, size = float(weights @ right), 1 / float(weights @ weights)
    without = max(1 / size - 1 / total, 0.0)
    trust = 1 - 1 / rarer**2
    fit = _fitted(answers, labels, sample, trust)
    # what both layers leave of the variance that labels alone have
    layers = (fit.of_labels + fit.of_verdicts) / (alone * (1 - alone))
    left = trust * min(layers, without) + (1 - trust) * without
    share = min(max(fit.share, 0.0), 1.0)
    bounds = of_sample(share, max(1.0, _tails(size, level) / max(left, LEAST_LEFT)), level)
    low, high = _possible(bounds, right, total)
    return ShareEstimate(
        share=min(max(share, low), high),
        low=low,
        high=high,
        labels=len(labels),
        method=Method.LAYERS,
        verdicts=sample.verdicts,
        of_verdicts=fit.of_verdicts / max(fit.of_labels + fit.of_verdicts, LEAST_LEFT),
    )


def _possible(bounds: tuple[float, float], right: Floats, answers: int) -> tuple[float, float]:
    """The bounds outwards to shares that can occur among so many answers of which these have labels."""
    fewest, most = floor(right.sum()), answers - floor((1 - right).sum())
    low, high = floor(bounds[0] * answers + ROUNDING), ceil(bounds[1] * answers - ROUNDING)
    return max(fewest, low) / answers, min(most, high) / answers


def _tails(size: float, level: float) -> float:
    """By how much levels above `PLAIN_LEVEL` shorten the effective size, as Student's t widens them for few labels."""
    freedom, tails = max(1.0, size - 1), ((1 + each) / 2 for each in (level, PLAIN_LEVEL))
    at, plain = (float(stdtrit(freedom, tail) / ndtri(tail)) for tail in tails)
    return min(1.0, (plain / at) ** 2)


def _fitted(answers: Probabilities, labels: Sequence[LabelledScore], sample: ModelSample, trust: float) -> _Fit:
    right, weights = np.array([each.right for each in labels]), label_weights(labels)
    said = np.array([[each.model, answers.deviation(each.p)] for each in labels], dtype=np.float64)
    said[:, 0] -= sample.mean
    mean = weights @ said
    apart, residual = said - mean, right - weights @ right
    usual = np.array([[sample.variance, sample.covariance], [sample.covariance, answers.variance]])
    usual *= USUAL_LABELS / len(labels)
    spread = (apart.T * weights) @ apart + usual + np.eye(2) * LEAST_LEFT
    slopes = trust * np.linalg.solve(spread, (apart.T * weights) @ residual + usual @ USUAL_SLOPES)
    # local scores of all answers say which part of the model's mean on its sample is luck
    by_local = sample.covariance / sample.local_variance if sample.local_variance else 0.0
    luck = by_local * (sample.local_mean - answers.mean)
    share = float(weights @ right - slopes @ mean - slopes[0] * luck)
    unexplained = sample.variance - by_local * sample.covariance
    return _Fit(
        share,
        _of_labels(answers, labels, apart @ slopes, residual),
        float(slopes[0]) ** 2 * unexplained * sample.spread,
    )


def _of_labels(answers: Probabilities, labels: Sequence[LabelledScore], explained: Floats, residual: Floats) -> float:
    """The variance that the labels' draw leaves, with `USUAL_LEFT` counted for some labels."""
    weights, count = label_weights(labels), len(labels)
    rest, alone = residual - explained, float(weights @ residual**2)
    added = USUAL_LEFT_LABELS * USUAL_LEFT * alone
    kept = (count * float(weights @ rest**2) + added) / (count - 1 + USUAL_LEFT_LABELS)
    least = kept * max(float(weights @ weights) - 1 / answers.answers, 0.0)
    if drawn_alike(labels):
        return least
    return max(least, variance_of_mean(answers, labels, weights, rest))
