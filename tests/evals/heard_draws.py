"""Draws labels from answers on which users gave feedback, and counts what the intervals hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from evals.estimate.layered_share import estimate_layers
from evals.estimate.model_sample import ModelSample, ModelVerdict
from evals.estimate.right_share import LabelledScore, ShareEstimate, estimate_share
from evals.estimate.score_counts import Floats, Probabilities
from tests.evals.drawn_labels import LEVEL, Found, Known


@dataclass(frozen=True, slots=True)
class Users:
    """How often users complain of an answer, and how often they praise it."""

    of_right: tuple[float, float]
    of_wrong: tuple[float, float]


USERS = {
    "telling": Users((0.03, 0.4), (0.6, 0.05)),
    "rare": Users((0.0, 0.02), (0.06, 0.0)),
    "only complaints": Users((0.05, 0.0), (0.4, 0.0)),
    "praise wrong numbers": Users((0.3, 0.1), (0.05, 0.6)),
    "never content": Users((0.5, 0.0), (0.5, 0.0)),
    "always content": Users((0.0, 0.6), (0.0, 0.6)),
    "at random": Users((0.2, 0.2), (0.2, 0.2)),
    "silent": Users((0.0, 0.0), (0.0, 0.0)),
}
"""Users who tell much, little or nothing, and users who say the contrary."""


def opinions_of(known: Known, users: Users, *, seed: int = 0) -> list[int]:
    """What users say of each answer."""
    dice = np.random.default_rng([seed, len(known.right)])
    complain, praise = (np.where(known.right == 1, users.of_right[at], users.of_wrong[at]) for at in (0, 1))
    drawn = dice.random(len(known.right))
    return np.where(drawn < complain, -1, np.where(drawn < complain + praise, 1, 0)).tolist()


def heard_by(known: Known, opinions: list[int]) -> Probabilities:
    """What the estimate knows of all answers."""
    shares = {name: opinions.count(kind) / len(opinions) for name, kind in (("complained", -1), ("praised", 1))}
    return replace(Probabilities.of(known.p_correct.tolist()), **shares)


def held_by(
    known: Known,
    opinions: list[int],
    *,
    labels: int = 30,
    draws: int = 80,
    directed: bool = False,
    model: Floats | None = None,
    seed: int = 0,
) -> Found:
    """What intervals of labels from so many draws hold; `directed` draws doubtful answers more often."""
    dice, answers = np.random.default_rng([seed, labels]), heard_by(known, opinions)
    true, found = float(known.right.mean()), []
    estimate = _by(answers, known, model)
    for _ in range(draws):
        chances: Floats | None = None
        if directed:
            wanted = np.where(np.abs(known.p_correct - 0.5) < 0.2, 1.0, 0.4)
            capped: Floats = np.minimum(1.0, wanted * labels / wanted.sum())
            chances, chosen = capped, np.flatnonzero(dice.random(len(wanted)) < capped)
        else:
            chosen = dice.choice(len(known.right), labels, replace=False)
        made = estimate(
            [
                LabelledScore(
                    right=float(known.right[at]),
                    p=float(known.p_correct[at]),
                    probability=None if chances is None else float(chances[at]),
                    model=None if model is None else float(model[at]),
                    opinion=opinions[at],
                )
                for at in chosen
            ]
        )
        assert made.share is not None
        found.append((made.low - 1e-9 <= true <= made.high + 1e-9, made.high - made.low, made.share - true))
    covered, width, bias = (float(np.mean(column)) for column in zip(*found, strict=True))
    return Found(covered, width, bias)


def _by(answers: Probabilities, known: Known, model: Floats | None) -> Callable[[list[LabelledScore]], ShareEstimate]:
    if model is None:
        return partial(estimate_share, answers, level=LEVEL)
    said = [ModelVerdict(float(one), float(p)) for one, p in zip(model, known.p_correct, strict=True)]
    return lambda labels: estimate_layers(answers, labels, ModelSample.of(said, answers), level=LEVEL)
