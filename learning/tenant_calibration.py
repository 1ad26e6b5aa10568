"""Fits a tenant's own line to the log-odds of a judge, from the tenant's labels, and keeps it only where it pays."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from learning.calibration import ONE_THREAD
from learning.labelled import Floats
from learning.nearest_line import nearest_line, question_folds
from scoring.calibration import LEAST, MOST, log_odds

LEAST_LABELS = 20
"""Fewest labelled answers from which a line is fitted."""
LEAST_OF_EACH = 3
"""Fewest right and fewest wrong answers: without both, labels say nothing about the slope."""
FOLDS = 10
"""Most parts of the cross-validation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledProbability:
    """A labelled answer with the judge's own `p_correct`."""

    p_judge: float
    correct: bool
    question: str
    """Answers to one question are never on both sides of the cross-validation."""


class NotFitted(StrEnum):
    """Why no line is stored."""

    FEW_LABELS = "few_labels"
    """There are fewer than `LEAST_LABELS` labelled answers."""
    ONE_SIDED = "one_sided"
    """Fewer than `LEAST_OF_EACH` of them are right, or wrong."""
    NO_GAIN = "no_gain"
    """On answers that the line was not fitted to, it is no better than the packaged judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedLine:
    """A line and what it gains on held-out answers."""

    intercept: float
    slope: float
    labels: int
    labelled_right: int
    loss_before: float
    """Mean log-loss of the judge's own probabilities."""
    loss_after: float
    """Mean log-loss of held-out answers, each by a line that was fitted to answers to other questions."""


@ONE_THREAD
def fit_line(rows: Sequence[LabelledProbability]) -> FittedLine | NotFitted:
    """Fits intercept and slope within their bounds. The same rows in the same order give the same line."""
    if len(rows) < LEAST_LABELS:
        return NotFitted.FEW_LABELS
    right = sum(each.correct for each in rows)
    if min(right, len(rows) - right) < LEAST_OF_EACH:
        return NotFitted.ONE_SIDED
    odds = np.array([log_odds(each.p_judge) for each in rows])
    correct = np.array([each.correct for each in rows], dtype=np.float64)
    before, after = _loss(expit(odds), correct), _loss(_held_out(rows, odds, correct), correct)
    if not after < before:
        return NotFitted.NO_GAIN
    intercept, slope = nearest_line(odds, correct)
    return FittedLine(
        intercept=round(intercept, 4),
        slope=round(slope, 4),
        labels=len(rows),
        labelled_right=right,
        loss_before=round(before, 4),
        loss_after=round(after, 4),
    )


def _held_out(rows: Sequence[LabelledProbability], odds: Floats, correct: Floats) -> Floats:
    questions = np.array([each.question for each in rows])
    parts = min(FOLDS, len(set(questions.tolist())))
    p_correct = expit(odds)
    if parts < 2:
        return p_correct
    for train, test in question_folds(questions, parts):
        intercept, slope = nearest_line(odds[train], correct[train])
        p_correct[test] = _calibrated(odds[test], intercept, slope)
    return p_correct


def _calibrated(odds: Floats, intercept: float, slope: float) -> NDArray[np.float64]:
    return np.clip(expit(intercept + slope * odds), LEAST, MOST)


def _loss(p_correct: Floats, correct: Floats) -> float:
    bounded = np.clip(p_correct, LEAST, MOST)
    return float(-np.mean(correct * np.log(bounded) + (1 - correct) * np.log(1 - bounded)))
