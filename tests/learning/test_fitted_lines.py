"""A tenant's calibration: what is fitted, what is refused, and what no labels can do."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

from learning.nearest_line import question_folds
from learning.tenant_calibration import FittedLine, LabelledProbability, NotFitted, fit_line
from scoring.calibration import LEAST_SLOPE, MOST_SHIFT, MOST_SLOPE, TenantCalibration, log_odds, logistic


def answers(count: int, *, shift: float, slope: float = 1.0, seed: int = 1, noise: float = 0.0):
    """Answers whose true log-odds are shift + slope × the judge's."""
    draw = random.Random(seed)
    for place in range(count):
        p_judge = draw.uniform(0.15, 0.97)
        right = draw.random() < logistic(shift + slope * log_odds(p_judge))
        yield LabelledProbability(p_judge=p_judge, correct=right != (draw.random() < noise), question=f"q{place}")


def loss(rows, line: FittedLine | None) -> float:
    total = 0.0
    for each in rows:
        p = each.p_judge
        if line is not None:
            fitted = TenantCalibration(version=1, judge="j", evaluator="e", intercept=line.intercept, slope=line.slope)
            p = fitted.of(p)
        total -= log_odds_of_label(p, correct=each.correct)
    return total / len(rows)


def log_odds_of_label(p: float, *, correct: bool) -> float:
    import math

    return math.log(p if correct else 1 - p)


def test_labels_of_a_tenant_whose_agents_are_better_shift_the_judge():
    fit = fit_line(list(answers(200, shift=1.5)))
    assert isinstance(fit, FittedLine)
    assert 0.8 < fit.intercept < MOST_SHIFT
    fresh = list(answers(2000, shift=1.5, seed=2))
    assert loss(fresh, fit) < loss(fresh, None) - 0.05


def test_the_same_labels_give_the_same_line():
    assert fit_line(list(answers(60, shift=1.0))) == fit_line(list(answers(60, shift=1.0)))


@pytest.mark.slow  # a simulation
def test_what_is_stored_from_30_labels_helps_on_answers_to_come():
    """Over many tenants that differ from the packaged judge, also with one label in twenty wrong."""
    gains = []
    for seed in range(40):
        draw = random.Random(seed)
        truth = {"shift": draw.gauss(0.5, 1.0), "slope": draw.uniform(0.5, 1.5)}
        fit = fit_line(list(answers(30, **truth, seed=1000 + seed, noise=0.05)))
        if isinstance(fit, FittedLine):
            fresh = list(answers(500, **truth, seed=2000 + seed))
            gains.append(loss(fresh, None) - loss(fresh, fit))
    assert len(gains) > 10
    assert sum(gains) / len(gains) > 0.03
    assert sum(gain < -0.02 for gain in gains) <= len(gains) / 10


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (list(answers(19, shift=1.5)), NotFitted.FEW_LABELS),
        ([LabelledProbability(p_judge=0.5, correct=True, question=str(n)) for n in range(100)], NotFitted.ONE_SIDED),
        ([LabelledProbability(p_judge=0.5, correct=n > 1, question=str(n)) for n in range(40)], NotFitted.ONE_SIDED),
        (
            [LabelledProbability(p_judge=0.9, correct=n % 10 > 0, question=str(n)) for n in range(100)],
            NotFitted.NO_GAIN,
        ),
        ([LabelledProbability(p_judge=0.2, correct=n % 3 > 0, question="one") for n in range(60)], NotFitted.NO_GAIN),
    ],
)
def test_without_a_gain_on_answers_to_other_questions_nothing_is_fitted(rows, why):
    assert fit_line(rows) is why


def test_labels_against_the_judge_cannot_turn_it_around():
    honest = list(answers(100, shift=0.0))
    turned = [
        LabelledProbability(p_judge=each.p_judge, correct=each.p_judge < 0.5, question=each.question) for each in honest
    ]
    fit = fit_line(turned)
    if isinstance(fit, FittedLine):
        assert LEAST_SLOPE <= fit.slope <= MOST_SLOPE
        line = TenantCalibration(version=1, judge="j", evaluator="e", intercept=fit.intercept, slope=fit.slope)
        shown = [line.of(p / 100) for p in range(101)]
        assert shown == sorted(shown)


@pytest.mark.parametrize(("answers", "questions", "parts"), [(2, 2, 2), (60, 7, 5), (300, 90, 10)])
def test_parts_are_those_of_scikit_learn(answers: int, questions: int, parts: int) -> None:
    of_rows = np.random.default_rng(answers).integers(0, questions, answers)
    of_rows[:questions] = np.arange(questions)
    wanted = GroupKFold(parts).split(of_rows, groups=of_rows)
    for (train, test), (other_train, other_test) in zip(question_folds(of_rows, parts), wanted, strict=True):
        assert (train.tolist(), test.tolist()) == (other_train.tolist(), other_test.tolist())
