"""Draws labels from answers whose labels are all known, and counts how often the interval holds the true share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evals.estimate.right_share import LabelledScore, estimate_share
from evals.estimate.score_counts import Floats, Probabilities

LEVEL = 0.9
Design = Callable[[Floats], Floats]
"""From the probabilities of answers, the probability with which each is drawn."""


@dataclass(frozen=True, slots=True)
class Known:
    """Answers with the label and the probability of each."""

    right: Floats
    p_correct: Floats


@dataclass(frozen=True, slots=True)
class Found:
    """What many draws gave."""

    covered: float
    """Share of the intervals that hold the true share."""
    width: float
    bias: float


def drawn(known: Known, labels: int, *, draws: int, seed: int = 0, design: Design | None = None) -> Found:
    """Draws so many labels again and again: all alike, or with recorded probabilities by the design."""
    dice, answers = np.random.default_rng(seed), Probabilities.of(known.p_correct.tolist())
    true, found = float(known.right.mean()), []
    for _ in range(draws):
        chances: Floats | None = None
        if design is None:
            chosen = dice.choice(len(known.right), labels, replace=False)
        else:
            wanted = design(known.p_correct)
            capped: Floats = np.minimum(1.0, wanted * labels / wanted.sum())
            chances, chosen = capped, np.flatnonzero(dice.random(len(wanted)) < capped)
        made = [
            LabelledScore(
                right=float(known.right[place]),
                p=float(known.p_correct[place]),
                probability=None if chances is None else float(chances[place]),
            )
            for place in chosen
        ]
        if made:
            estimate = estimate_share(answers, made, level=LEVEL)
            found.append((estimate.low <= true <= estimate.high, estimate.high - estimate.low, estimate.share - true))
    covered, width, bias = (float(np.mean(column)) for column in zip(*found, strict=True))
    return Found(covered, width, bias)


def made_answers(share: float, answers: int, judge: str) -> Known:
    """Answers of which a share is right, with a judge that is useless, mild, good, wrong about all, or constant."""
    dice = np.random.default_rng([answers, round(share * 1000)])
    right = np.zeros(answers)
    right[: round(share * answers)] = 1
    noise = dice.beta(4, 2, answers)
    scores = {
        "useless": noise,
        "mild": 0.85 * noise + 0.12 * right,
        "good": 0.3 * noise + 0.6 * right,
        "anti-correlated": 0.7 * noise + 0.25 * (1 - right),
        "constant": np.full(answers, 0.6),
    }
    return Known(right, np.clip(scores[judge], 0.0, 1.0))
