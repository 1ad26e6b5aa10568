"""The share of right answers of an agent without labels, predicted from its mean probability.

Mean probabilities of agents lie closer together than their shares of right answers. The file beside this module has
both for ten published agents, judged by weights that had seen neither the agent nor the question (`eval judge --by
agent --held-out question --held-out agent`). A line through the log-odds of both predicts an eleventh agent; the
interval is that of a prediction, so it includes how much agents differ from the line.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import sqrt

import numpy as np
from scipy.special import expit, logit, stdtrit

from evals.estimate.right_share import Method, ShareEstimate
from evals.estimate.score_counts import Floats, Probabilities

EXTREME = 0.005
"""Means nearer to 0 or 1 count as this near: their log-odds have no bound."""


@cache
def _agents() -> tuple[str, int, Sequence[tuple[float, float]]]:
    known = json.loads((files("evals.estimate") / "across_agents.json").read_text(encoding="utf-8"))
    return known["judge"], known["answers_of_each"], [(each["mean"], each["right"]) for each in known["agents"]]


@cache
def _line() -> tuple[Floats, Floats, float, float]:
    """The log-odds of the means and of the shares of right answers, with the slope and intercept of their line."""
    _, _, agents = _agents()
    means: Floats = logit(np.array([mean for mean, _ in agents]))
    shares: Floats = logit(np.array([right for _, right in agents]))
    slope, intercept = (float(each) for each in np.polyfit(means, shares, 1))
    return means, shares, slope, intercept


def predict_share(answers: Probabilities, judges: frozenset[str], *, level: float) -> ShareEstimate:
    """Predicts the share of right answers from `p_alone`; nothing is known where another judge gave a score.

    >>> found = predict_share(Probabilities.of([0.65] * 300), frozenset({"local/4"}), level=0.9)
    >>> round(found.share or 0, 2), round(found.low, 2), round(found.high, 2)
    (0.7, 0.57, 0.79)
    """
    judge, usual_answers, agents = _agents()
    if not answers.scored or judges != frozenset([judge]):
        return ShareEstimate(share=None, low=0.0, high=1.0, labels=0, method=Method.NO_LABELS)
    means, shares, slope, intercept = _line()
    free = len(agents) - 2
    apart: Floats = shares - slope * means - intercept
    spread = float(apart @ apart) / free
    mean = float(np.clip(answers.mean, EXTREME, 1 - EXTREME))
    away = float((logit(mean) - means.mean()) ** 2 / ((means - means.mean()) ** 2).sum())
    share = float(slope * logit(mean) + intercept)
    # the line is known from agents of some 245 answers each: chance moves an agent of fewer answers more
    fewer = max(0.0, 1 / answers.answers - 1 / usual_answers)
    right = float(expit(share))
    chance = fewer * (1 / (right * (1 - right)) + slope**2 * answers.variance / (mean * (1 - mean)) ** 2)
    arm = float(stdtrit(free, (1 + level) / 2)) * sqrt(spread * (1 + 1 / len(agents) + away) + chance)
    low, high = (float(expit(each)) for each in (share - arm, share + arm))
    return ShareEstimate(share=right, low=low, high=high, labels=0, method=Method.NO_LABELS)
