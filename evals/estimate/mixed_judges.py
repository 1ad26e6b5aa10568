"""The share of right answers where a model judged some of them, such as the unsure ones, and the local judge the rest.

Every answer has one probability, so no verdict is missing and the model need not be asked about random answers. The
probabilities of both judges are two predictors, which labels calibrate apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from evals.estimate.layered_share import estimate_layers
from evals.estimate.model_sample import ModelSample
from evals.estimate.right_share import LabelledScore, ShareEstimate, estimate_share
from evals.estimate.score_counts import Probabilities

LEAST_JUDGED = 0.1
"""The share of answers that a model judged from which its probabilities are calibrated apart."""


class Moments(NamedTuple):
    """Sums over the probabilities that one judge gave."""

    judged: int
    total: float
    squares: float

    def among(self, answers: int, centre: float) -> tuple[float, float]:
        """Mean and variance over so many answers, where those of the other judge count as `centre`."""
        others = answers - self.judged
        mean = (self.total + others * centre) / answers
        return mean, max(0.0, (self.squares + others * centre**2) / answers - mean**2)


def estimate_mixed(
    scores: Probabilities, local: Moments, model: Moments, labels: Sequence[LabelledScore], *, level: float
) -> ShareEstimate:
    """Estimates the share from at least one label; `LabelledScore.model` is set where a model judged the answer.

    Answers without a score count like those of the mean score.

    >>> said = Probabilities.of([0.9] * 60 + [0.1] * 40 + [0.7] * 100)
    >>> right, wrong = LabelledScore(right=1, p=0.9, model=0.9), LabelledScore(right=0, p=0.1, model=0.1)
    >>> labels = [right] * 6 + [wrong] * 4 + [LabelledScore(right=1, p=0.7)] * 8 + [LabelledScore(right=0, p=0.7)] * 2
    >>> found = estimate_mixed(said, Moments(100, 70, 49), Moments(100, 58, 49), labels, level=0.9)
    >>> round(found.share or 0, 2), found.verdicts, found.method.value
    (0.7, 100, 'ppi++ with model')
    """
    answers, centre = scores.answers, scores.mean
    if not answers or model.judged < LEAST_JUDGED * answers:
        return estimate_share(scores, labels, level=level)
    model_mean, model_variance = model.among(answers, centre)
    local_mean, local_variance = local.among(answers, centre)
    sample = ModelSample(
        verdicts=model.judged,
        mean=model_mean,
        variance=model_variance,
        local_mean=local_mean,
        # an answer is away from the centre by one of both judges only
        covariance=-(model_mean - centre) * (local_mean - centre),
        local_variance=local_variance,
        spread=0.0,
    )
    by_local = Probabilities(answers=answers, scored=answers, mean=local_mean, variance=local_variance)
    return estimate_layers(by_local, [_apart(each, centre) for each in labels], sample, level=level)


def _apart(label: LabelledScore, centre: float) -> LabelledScore:
    """The label with a probability by each judge: `centre` by the one that did not judge its answer."""
    if label.model is not None:
        return label._replace(p=centre)
    return label._replace(model=centre, p=centre if label.p is None else label.p)
