"""Draws labels and verdicts of a model from answers whose labels are known, and counts what the intervals hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evals.estimate.layered_share import estimate_layers
from evals.estimate.model_sample import ModelSample, ModelVerdict
from evals.estimate.right_share import LabelledScore
from evals.estimate.score_counts import Floats, Probabilities
from tests.evals.drawn_labels import Found, Known

MODELS = {
    "good": (0.05, 0.05),
    "lenient": (0.02, 0.4),
    "harsh": (0.3, 0.02),
    "blind": (0.5, 0.5),
    "inverted": (0.9, 0.9),
    "always right": (0.0, 1.0),
}
"""How often a model is mistaken about right answers, and about wrong ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """How labels and verdicts are drawn."""

    labels: int = 30
    verdicts: int = 150
    draws: int = 50
    level: float = 0.9
    nested: bool = True
    """Whether labels are drawn among the answers with a verdict; otherwise labelled answers get a verdict too."""
    directed: bool = False
    """Whether the model is asked four times as often where the local judge is unsure, with recorded probability."""


def answers_of(right: float, answers: int, *, copies: int = 1, seed: int = 0) -> Known:
    """Answers of which a share is right, with a local judge that knows little, each so many times."""
    dice = np.random.default_rng([answers, round(right * 1000), seed])
    labels = np.zeros(answers // copies)
    labels[: round(right * len(labels))] = 1
    dice.shuffle(labels)
    local = np.clip(0.85 * dice.beta(4, 2, len(labels)) + 0.1 * labels, 0.0, 1.0)
    return Known(np.repeat(labels, copies), np.repeat(local, copies))


def model_of(known: Known, name: str, *, seed: int = 0) -> Floats:
    """The model's probabilities. The one that is `changing` is good for the first half and lenient for the second."""
    dice, right, count = np.random.default_rng(seed), known.right, len(known.right)
    if name == "changing":
        later = np.arange(count) >= count // 2
        mistaken = np.where(later, np.where(right == 1, 0.02, 0.6), 0.03)
    else:
        mistaken = np.where(right == 1, *MODELS[name])
    said = np.where(dice.random(count) < mistaken, 1 - right, right)
    sure = 0.75 + 0.23 * dice.beta(3, 1.5, count)
    return np.where(said == 1, sure, 1 - sure)


def held(known: Known, model: Floats, how: Draws, *, seed: int = 0) -> Found:
    """What intervals from so many draws hold."""
    dice, count = np.random.default_rng([seed, how.labels]), len(known.right)
    answers, true, found = Probabilities.of(known.p_correct.tolist()), float(known.right.mean()), []
    for _ in range(how.draws):
        asked, chosen = _asked(dice, known, how)
        labelled = chosen[: how.labels] if how.nested else dice.choice(count, how.labels, replace=False)
        verdicts = [
            ModelVerdict(float(model[at]), float(known.p_correct[at]), None if asked is None else float(asked[at]))
            for at in chosen
        ]
        labels = [
            LabelledScore(right=float(known.right[at]), p=float(known.p_correct[at]), model=float(model[at]))
            for at in labelled
        ]
        made = estimate_layers(answers, labels, ModelSample.of(verdicts, answers), level=how.level)
        assert made.share is not None
        found.append((made.low - 1e-9 <= true <= made.high + 1e-9, made.high - made.low, made.share - true))
    covered, width, bias = (float(np.mean(column)) for column in zip(*found, strict=True))
    return Found(covered, width, bias)


def _asked(dice: np.random.Generator, known: Known, how: Draws) -> tuple[Floats | None, np.ndarray]:
    count = len(known.right)
    if not how.directed:
        return None, dice.choice(count, min(how.verdicts, count), replace=False)
    wanted = np.where(np.abs(known.p_correct - 0.5) < 0.2, 1.0, 0.25)
    asked: Floats = np.minimum(1.0, wanted * how.verdicts / wanted.sum())
    return asked, np.flatnonzero(dice.random(count) < asked)
