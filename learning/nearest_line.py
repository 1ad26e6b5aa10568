"""The line that labels draw through a judge's log-odds, and parts of the labels that share no question.

Without scikit-learn: the service mines rules with both, and has it only with the extra for learning.
"""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from learning.labelled import Floats
from scoring.calibration import LEAST_SLOPE, MOST_SHIFT, MOST_SLOPE

INTERCEPT_SPREAD, SLOPE_SPREAD = 1.5, 0.5
"""How far tenants' lines are expected to be from the packaged judge's: standard deviations around (0, 1)."""
Rows = NDArray[np.intp]


def nearest_line(odds: Floats, correct: Floats) -> tuple[float, float]:
    """Minimises log-loss + the squared distance from (0, 1) in spreads ÷ 2."""
    from scipy.optimize import minimize  # noqa: PLC0415 takes a third of a second to load, and few processes fit lines

    sign = 2 * correct - 1

    def loss(line: Floats) -> float:
        far = (line[0] / INTERCEPT_SPREAD) ** 2 + ((line[1] - 1) / SLOPE_SPREAD) ** 2
        return float(np.logaddexp(0, -sign * (line[0] + line[1] * odds)).sum() + far / 2)

    bounds = [(-MOST_SHIFT, MOST_SHIFT), (LEAST_SLOPE, MOST_SLOPE)]
    found = minimize(loss, np.array([0.0, 1.0]), method="L-BFGS-B", bounds=bounds).x
    return float(found[0]), float(found[1])


def question_folds(questions: NDArray[np.generic], parts: int) -> Iterator[tuple[Rows, Rows]]:
    """Training rows and test rows that share no question, in parts of about the same size.

    >>> [test.tolist() for _, test in question_folds(np.array(["a", "b", "a", "c"]), 2)]
    [[0, 2], [1, 3]]
    """
    _, number = np.unique(questions, return_inverse=True)
    answers = np.bincount(number)
    part, filled = np.empty(len(answers), dtype=np.intp), np.zeros(parts)
    # the questions with most answers first, each to the part with the fewest so far
    for question in np.argsort(answers, kind="stable")[::-1]:
        part[question] = np.argmin(filled)
        filled[part[question]] += answers[question]
    of_row = part[number]
    for each in range(parts):
        yield np.flatnonzero(of_row != each), np.flatnonzero(of_row == each)
