"""The share of right answers: labels of some answers, corrected by the judge's probabilities of all.

PPI++ (Angelopoulos, Duchi and Zrnic, 2023): the mean over the labels of (label − λ · probability), plus λ times the
mean probability of all answers. It is unbiased however bad the judge is; λ follows from the labels, and is near 0 for
a judge that says nothing. What users say of answers corrects it the same way. Its normal interval is too short for few
labels, so the exact interval of the labels alone is shrunk by what the probabilities explain. docs/adr/0040 says what
was compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, floor, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri, stdtrit

from evals.estimate.exact_intervals import of_population, of_sample
from evals.estimate.score_counts import Floats, Probabilities

USUAL_SLOPE = 0.8
"""λ before any label: how much likelier an answer is to be right per unit of `p_correct`, on published agents."""
USUAL_SLOPE_LABELS = 10
"""How many labels `USUAL_SLOPE` counts for."""
ENOUGH_HEARD = 10
"""Labelled answers with feedback from which on feedback corrects an estimate."""
EQUAL = 1e-9
"""Recorded probabilities that differ by less are equal."""
ROUNDING = 1e-6
"""A bound this near to a number of answers is that number."""


class Method(StrEnum):
    """How an estimate came about."""

    PPI = "ppi++"
    """Labels drawn with equal probability, corrected by the scores."""
    FEEDBACK = "ppi++ with feedback"
    """Labels corrected by the scores and by what users say."""
    WEIGHTED = "ppi++ weighted"
    """Labels drawn with recorded, unequal probabilities, corrected by the scores."""
    LAYERS = "ppi++ with model"
    """Labels corrected by a model's verdicts on a sample, which the scores of all correct."""
    EXACT = "exact"
    """Labels alone: at most one label differs from the others, or all scores are equal."""
    COMPLETE = "all labelled"
    """Every answer has a label."""
    NO_LABELS = "no labels"
    """Nothing is known yet: a mean score says little of the share of right answers."""


class LabelledScore(NamedTuple):
    """The label of one answer. A tuple, since a report makes one for each label."""

    right: float
    """1 right, 0 wrong; 0.5 where as many reviewers say right as wrong."""
    p: float | None
    """The judge's probability that it is right; `None` without a score."""
    place: int | None = None
    """Its place among the `ScoreCounts` of its group."""
    probability: float | None = None
    """The probability with which it was drawn; `None` where every answer could be drawn alike."""
    model: float | None = None
    """A model's probability that it is right; `None` where no model was asked."""
    with_model: float | None = None
    """The probability with which it was drawn and the model was asked too; `None` where that is `probability`."""
    heard: int = 0
    """1 where more users are satisfied with it than not, -1 the other way round, 0 where they say nothing."""


class Heard(NamedTuple):
    """What users say of the answers, labelled or not."""

    satisfied: int
    """Answers with which more users are satisfied than not."""
    dissatisfied: int


LEAST_PROBABILITY = 1e-6
"""A smaller probability counts as this one: a single label would outweigh all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareEstimate:
    """The share of right answers, with an interval."""

    share: float | None
    """0 to 1; `None` where nothing is known."""
    low: float
    high: float
    labels: int
    """Labelled answers used."""
    method: Method
    verdicts: int = 0
    """Verdicts of a model that were used."""
    of_verdicts: float = 0.0
    """The part of the variance that more verdicts can remove; more labels remove the rest."""


def estimate_share(
    answers: Probabilities, labels: Sequence[LabelledScore], *, level: float, heard: Heard | None = None
) -> ShareEstimate:
    """Estimates the share of right answers from at least one label, drawn as `LabelledScore.probability` says.

    Either all labels have a probability or none has. Feedback is used where `ENOUGH_HEARD` labelled answers have some:
    it never counts as a label, and says nothing where labels do not go with it. The interval is about these answers,
    not about future ones: its bounds are shares that can occur among them, and it has no width when all are labelled.

    >>> answers = Probabilities.of([0.9] * 60 + [0.3] * 40)
    >>> labels = [LabelledScore(right=1, p=0.9)] * 12 + [LabelledScore(right=0, p=0.3)] * 8
    >>> found = estimate_share(answers, labels, level=0.9)
    >>> round(found.share or 0, 2), found.low, found.high, found.method.value
    (0.6, 0.52, 0.68, 'ppi++')
    """
    right = np.array([each.right for each in labels])
    fewest, most = floor(right.sum()), answers.answers - floor((1 - right).sum())
    if len(labels) >= answers.answers:
        return _among(answers, labels, (float(right.mean()), fewest, most), Method.COMPLETE)
    weights, trust = label_weights(labels), _trust(right)
    alone = float(weights @ right)
    rest, method = _unexplained(answers, labels, heard, right, weights)
    share = float(weights @ rest)
    if drawn_alike(labels):
        low, high = of_population(right.sum(), len(labels), answers.answers, level)
        left = float(rest.var() / right.var()) if trust else 1.0
    else:
        method = Method.WEIGHTED
        carried = _carried(answers, labels, weights)
        size = max(1.0, 1 / float(carried @ carried))
        low, high = of_sample(alone, size, level)
        left = variance_of_mean(answers, labels, carried, rest) * size / (alone * (1 - alone)) if trust else 1.0
        left *= (float(stdtrit(max(1.0, size - 1), (1 + level) / 2)) / float(ndtri((1 + level) / 2))) ** 2
    shrunk = sqrt(trust * left + 1 - trust)
    low, high = share - (alone - low) * shrunk, share + (high - alone) * shrunk
    total = answers.answers
    bounds = max(fewest, floor(low * total + ROUNDING)), min(most, ceil(high * total - ROUNDING))
    return _among(answers, labels, (share, *bounds), method)


def _trust(right: Floats) -> float:
    """How far the labels may be explained by anything.

    One label of the rarer kind says nothing of how right answers differ in score from wrong ones; many say it well.
    """
    rarer = float(min(right.sum(), (1 - right).sum()))
    return max(0.0, (rarer - 1) / rarer) if rarer else 0.0


def _unexplained(
    answers: Probabilities, labels: Sequence[LabelledScore], heard: Heard | None, right: Floats, weights: Floats
) -> tuple[Floats, Method]:
    """What scores and feedback leave of each label, and what was used, for labels drawn alike."""
    trust = _trust(right)
    slope = trust * _slope(answers, labels, right, weights)
    rest = right - slope * np.array([answers.deviation(each.p) for each in labels])
    explained = trust * _explained_by_users(answers, labels, heard, weights, rest)
    method = Method.FEEDBACK if explained.any() else Method.PPI if slope else Method.EXACT
    return rest - explained, method


def _among(
    answers: Probabilities, labels: Sequence[LabelledScore], found: tuple[float, int, int], method: Method
) -> ShareEstimate:
    share, low, high = found[0], found[1] / answers.answers, found[2] / answers.answers
    share = min(max(share, low), high)
    return ShareEstimate(share=share, low=low, high=high, labels=len(labels), method=method)


def drawn_alike(labels: Sequence[LabelledScore]) -> bool:
    """Whether every labelled answer was drawn with the same probability."""
    given = [1.0 if each.probability is None else each.probability for each in labels]
    return max(given) - min(given) < EQUAL


def label_weights(labels: Sequence[LabelledScore]) -> Floats:
    """How much each label counts: one divided by its probability, as shares of their sum (Hájek)."""
    weights = 1 / _drawn(labels)
    return weights / weights.sum()


def _drawn(labels: Sequence[LabelledScore]) -> Floats:
    """With which probability each label was drawn; 1 where none is recorded."""
    given = [1.0 if each.probability is None else each.probability for each in labels]
    return np.maximum(np.array(given), LEAST_PROBABILITY)


def _slope(answers: Probabilities, labels: Sequence[LabelledScore], right: Floats, weights: Floats) -> float:
    """λ: the regression of labels on probabilities, with `USUAL_SLOPE` counted for some labels; 0 if all are equal."""
    if not answers.variance:
        return 0.0
    deviations = np.array([answers.deviation(each.p) for each in labels])
    apart = deviations - weights @ deviations
    usual = USUAL_SLOPE_LABELS / len(labels) * answers.variance
    return float((weights @ (apart * right) + usual * USUAL_SLOPE) / (weights @ apart**2 + usual))


def _explained_by_users(
    answers: Probabilities, labels: Sequence[LabelledScore], heard: Heard | None, weights: Floats, rest: Floats
) -> Floats:
    """What feedback explains of the rest of each label: the same regression, shrunk to nothing."""
    said = np.array([float(each.heard) for each in labels])
    if heard is None or np.count_nonzero(said) < ENOUGH_HEARD:
        return np.zeros(len(labels))
    mean = (heard.satisfied - heard.dissatisfied) / answers.answers
    variance = (heard.satisfied + heard.dissatisfied) / answers.answers - mean**2
    apart = said - weights @ said
    spread = float(weights @ apart**2) + USUAL_SLOPE_LABELS / len(labels) * variance
    if spread <= EQUAL:  # users say the same of all answers
        return np.zeros(len(labels))
    return float(weights @ (apart * rest)) / spread * (said - mean)


def _carried(answers: Probabilities, labels: Sequence[LabelledScore], weights: Floats) -> Floats:
    """The weights, raised where labels stand for answers whose probabilities were drawn too seldom (calibration)."""
    deviations = np.array([answers.deviation(each.p) for each in labels])
    missed = -float(weights @ deviations)
    apart = deviations + missed
    spread = float(weights @ apart**2)
    if not spread:
        return weights / max(1e-6, 1 - missed**2 / answers.variance) if answers.variance else weights
    return weights * (1 + missed * apart / spread)


def variance_of_mean(answers: Probabilities, labels: Sequence[LabelledScore], weights: Floats, rest: Floats) -> float:
    """The variance of a weighted mean over independent draws; a label never vouches for itself (jackknife).

    Where fewer answers were labelled than drawn, the sum of the weights says by how much; the chance of an answer to be
    labelled is then lower than recorded.
    """
    drawn = _drawn(labels)
    labelled = drawn * min(1.0, float((1 / drawn).sum()) / answers.answers)
    apart = (rest - weights @ rest) / np.maximum(1 - weights, 0.1)
    return float((1 - labelled) @ (weights * apart) ** 2)
