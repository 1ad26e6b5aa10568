"""What a share of a model's calls brings: for random answers, the least sure, or those it may judge otherwise."""

# scikit-learn ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from evals.estimate.mixed_judges import Moments, estimate_mixed
from evals.estimate.right_share import LabelledScore
from evals.estimate.score_counts import Floats, Probabilities

Places = NDArray[np.intp]
RANDOM_PART = 0.2
"""The part of the calls of `AskOrder.VALUE` that go to random answers: from these it learns."""
LEAST_ANSWERS = 60
"""Fewest answers of an agent whose estimate is measured."""
LEVEL = 0.9
_PENALTY = 0.3


class AskOrder(StrEnum):
    """Which answers the model is asked about first."""

    RANDOM = "random"
    CONFIDENCE = "confidence"
    """The least sure ones of the local judge."""
    VALUE = "value"
    """A random part, then those on which the model most likely differs from the local judge, as that part shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedTwice:
    """A labelled answer with the probability of the local judge and of a model."""

    agent: str
    right: bool
    local: float
    model: float
    proved: bool = False
    """Whether a fault is proved, so that no model is asked."""
    codes: frozenset[str] = frozenset()
    """The reasons that the local judge gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFigures:
    """What so many calls bring: means over rounds."""

    order: AskOrder
    asked: float
    """Share of the answers that the model is asked about."""
    agreement: float
    """Share of verdicts that agree with the label."""
    width: float
    """Mean width of the 90 % intervals of agents' shares right; `nan` where no agent has enough answers."""
    held: float
    """Share of these intervals that hold the true share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """How often answers and labels are drawn."""

    labels: int = 30
    """Labels of each agent."""
    rounds: int = 10
    seed: int = 1


def asked_figures(
    answers: Sequence[JudgedTwice], shares: Sequence[float], orders: Sequence[AskOrder], rounds: Rounds
) -> list[AskedFigures]:
    """Figures for each order and each share of calls."""
    return [_figures(answers, share, order, rounds) for order in orders for share in shares]


def _figures(answers: Sequence[JudgedTwice], share: float, order: AskOrder, rounds: Rounds) -> AskedFigures:
    dice, found = np.random.default_rng(rounds.seed), []
    right = np.array([each.right for each in answers])
    local, model = (np.array(column) for column in zip(*((each.local, each.model) for each in answers), strict=True))
    for _ in range(rounds.rounds):
        asked = np.zeros(len(answers), dtype=bool)
        asked[_ORDERS[order](answers, round(share * len(answers)), dice)] = True
        mixed = np.where(asked, model, local)
        agreement = float(np.mean((mixed >= 0.5) == right))
        found.append((float(asked.mean()), agreement, *_estimates(answers, mixed, asked, rounds.labels, dice)))
    share_asked, agreement, width, held = (float(np.nanmean(column)) for column in zip(*found, strict=True))
    return AskedFigures(order=order, asked=share_asked, agreement=agreement, width=width, held=held)


def _random(answers: Sequence[JudgedTwice], calls: int, dice: np.random.Generator) -> Places:
    return dice.permutation(len(answers))[:calls]


def _least_sure(answers: Sequence[JudgedTwice], calls: int, dice: np.random.Generator) -> Places:
    del dice
    return np.argsort([abs(each.local - 0.5) for each in answers], kind="stable")[:calls]


def _most_valuable(answers: Sequence[JudgedTwice], calls: int, dice: np.random.Generator) -> Places:
    """A random part of the calls, then the answers whose verdict a model most likely changes."""
    open_answers = dice.permutation([at for at, each in enumerate(answers) if not each.proved]).astype(np.intp)
    calls = min(calls, len(open_answers))
    first = open_answers[: round(RANDOM_PART * calls)] if calls < len(open_answers) else open_answers
    rest = np.setdiff1d(open_answers, first)
    changed = np.array([(each.model >= 0.5) != (each.local >= 0.5) for each in answers])
    if len({bool(each) for each in changed[first]}) == 1 or not len(first):
        order = np.argsort([abs(answers[at].local - 0.5) for at in rest], kind="stable")
    else:
        features = _features(answers)
        fitted = LogisticRegression(C=_PENALTY, max_iter=500).fit(features[first], changed[first])
        order = np.argsort(-fitted.decision_function(features[rest]), kind="stable") if len(rest) else np.array([], int)
    return np.concatenate([first, rest[order][: calls - len(first)]])


def _features(answers: Sequence[JudgedTwice]) -> Floats:
    """How sure the local judge is, the agent, both by the side of its verdict, and the reasons it gives."""
    agents = sorted({each.agent for each in answers})
    codes = sorted({code for each in answers for code in each.codes})
    rows: list[list[float]] = []
    for each in answers:
        side = 1.0 if each.local >= 0.5 else -1.0
        own = [float(each.agent == agent) for agent in agents]
        sure = abs(each.local - 0.5)
        rows.append(
            [sure, side, sure * side, *own, *(side * one for one in own), *(float(c in each.codes) for c in codes)]
        )
    return np.array(rows)


_ORDERS: Mapping[AskOrder, Callable[[Sequence[JudgedTwice], int, np.random.Generator], Places]] = {
    AskOrder.RANDOM: _random,
    AskOrder.CONFIDENCE: _least_sure,
    AskOrder.VALUE: _most_valuable,
}


def _estimates(
    answers: Sequence[JudgedTwice], mixed: Floats, asked: NDArray[np.bool_], labels: int, dice: np.random.Generator
) -> tuple[float, float]:
    """Mean width of the agents' intervals from so many labels drawn at random, and the share that hold."""
    found: list[tuple[float, bool]] = []
    for agent in sorted({each.agent for each in answers}):
        own = np.array([at for at, each in enumerate(answers) if each.agent == agent])
        if len(own) < max(LEAST_ANSWERS, labels + 1):
            continue
        by_model = mixed[own][asked[own]]
        drawn = [
            LabelledScore(
                right=float(answers[at].right), p=float(mixed[at]), model=float(mixed[at]) if asked[at] else None
            )
            for at in dice.choice(own, labels, replace=False)
        ]
        scores = Probabilities.of(mixed[own].tolist())
        estimate = estimate_mixed(scores, _moments(mixed[own][~asked[own]]), _moments(by_model), drawn, level=LEVEL)
        true = float(np.mean([answers[at].right for at in own]))
        found.append((estimate.high - estimate.low, estimate.low - 1e-9 <= true <= estimate.high + 1e-9))
    if not found:
        return float("nan"), float("nan")
    widths, held = zip(*found, strict=True)
    return float(np.mean(widths)), float(np.mean(held))


def _moments(probabilities: Floats) -> Moments:
    return Moments(len(probabilities), float(probabilities.sum()), float((probabilities**2).sum()))
