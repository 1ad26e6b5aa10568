"""What users say of answers, as a source of its own that labels correct.

Complaint and praise are two more predictors of whether an answer is right, beside the judge's probability (control
variates). Their slopes are fitted on the labelled answers, to what the probabilities leave. So it may be biased in any
way who says something and what they say; where it tells nothing, its slopes are near 0, and without labels it moves
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from evals.estimate.random_draw import has_unlikely_mean
from evals.estimate.score_counts import Floats, Probabilities

USUAL_OPINION_LABELS = 10
"""How many labels on which feedback tells nothing are counted before the first one."""
_SMALLEST = 1e-9
_MOST_OWN = 0.9
"""Most of what feedback explains of one label that may come from that label itself."""


class ByUsers(NamedTuple):
    """What feedback says of the labelled answers."""

    part: Floats
    """What it explains of each."""
    left: Floats
    """What is left of each, where the slopes are fitted to the others alone; a label that vouched for itself would make
    the interval too short.
    """
    heard: int
    """Answers with feedback that was used."""


def explained_by_users(
    answers: Probabilities, opinions: Sequence[int], weights: Floats, rest: Floats, *, trust: float
) -> ByUsers:
    """What users explain of `rest`, which the probabilities leave of the labels.

    `opinions` are 1 for praise, -1 for a complaint and 0 for neither.

    >>> answers = replace(Probabilities.of([0.8] * 100), complained=0.3, praised=0.2)
    >>> rest = np.array([0.5, 0.5, -0.5, -0.5, 0.5, -0.5])
    >>> found = explained_by_users(answers, [1, 0, -1, -1, 0, 0], np.full(6, 1 / 6), rest, trust=1)
    >>> found.part.round(2).tolist(), found.left.round(2).tolist()
    ([0.16, 0.06, -0.2, -0.2, 0.06, 0.06], [0.46, 0.46, -0.35, -0.35, 0.46, -0.61])
    """
    if not any(opinions) or not answers.heard or not trust:
        return ByUsers(np.zeros(len(rest)), rest, 0)
    shares = np.array([answers.complained, answers.praised])
    said = np.array([(each < 0, each > 0) for each in opinions], dtype=np.float64) - shares
    apart = said - weights @ said
    usual = USUAL_OPINION_LABELS / len(opinions) * (np.diag(shares) - np.outer(shares, shares))
    spread = (apart.T * weights) @ apart + usual + np.eye(2) * _SMALLEST
    slopes = trust * np.linalg.solve(spread, (apart.T * weights) @ rest)
    part = said @ slopes
    own = trust * weights * (apart * np.linalg.solve(spread, apart.T).T).sum(axis=1)
    left = rest - part
    return ByUsers(part, (left - weights @ left) / (1 - np.minimum(own, _MOST_OWN)), answers.heard)


def picked_by_users(answers: Probabilities, opinions: Sequence[int]) -> bool:
    """Whether visibly more, or fewer, of the labelled answers have complaints or praise than a random draw would.

    >>> answers = replace(Probabilities.of([0.8] * 500), complained=0.05, praised=0.2)
    >>> picked_by_users(answers, [-1] * 8 + [0] * 12), picked_by_users(answers, [-1, 1, 1] + [0] * 17)
    (True, False)
    """
    kinds = ((-1, answers.complained), (1, answers.praised))
    return any(
        has_unlikely_mean(
            replace(answers, mean=share, variance=share * (1 - share)), [float(each == kind) for each in opinions]
        )
        for kind, share in kinds
    )
