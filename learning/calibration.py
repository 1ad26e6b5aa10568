"""Fits the local judge's weights to labelled answers: fair to agents, bounded where labels are few, honestly sure."""

# scipy and scikit-learn ship no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from threadpoolctl import threadpool_limits

from learning.fitting import fit_log_odds
from learning.labelled import CODES, Floats, Labelled, LabelTable
from learning.selection import bounds
from learning.splits import group_counts, splits
from scoring.judging.local import LEAST_MOVE
from scoring.judging.probability import Probability
from scoring.reason_kinds import FORGERIES
from scoring.reasons import ReasonCode

RIGHT_SHARE = 0.82
"""The share of right answers for which `p_correct` is calibrated: STEF reports 82 to 91 % (Table 4)."""
LEAST, MOST = 0.14, 0.97
"""The range of `p_correct`: of answers whose evidence is strongest against them, people accept one in seven."""
LEAST_SLOPE = 2.3
"""The calibration may not flatten the evidence below this.

Most wrong answers to everyday questions show no fault without the company's dictionary; a slope that is fitted
to them would doubt the faults that do show. So where labels err, `p_correct` is surer than they are: against an answer
with a fault down to `LEAST`, and of right answers by a hundredth or two.
"""

ONE_THREAD = threadpool_limits.wrap(limits=1)
"""Threads make such small fits slower, and their sums depend on the number of cores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted model and its figures on held-out groups."""

    weights: Mapping[ReasonCode, float]
    probability: Probability
    """The intercept, and the range of `p_correct`."""
    log_odds: Floats
    """Log-odds of each row before the calibration, shape (rows,), from a model that was not fitted on its groups."""
    held_out: Floats
    """`p_correct` of each row, shape (rows,): its log-odds by the one calibration of all rows."""
    auc: float
    accuracy: float


@ONE_THREAD
def calibrate(rows: Sequence[Labelled], *, folds: Sequence[int] = (5,)) -> Fit:
    """Fits on all rows and measures on held-out groups. The same rows in the same order give the same weights.

    `folds` is the number of parts for each field of `groups`. With two fields, a model judges only answers of which
    it has seen neither group: the bounds of the weights are read from the training rows, and the weights are fitted.
    Two numbers, the slope and the shift of all log-odds, are calibrated on the held-out log-odds of all trusted rows;
    the intercept and the weights of the result include them.

    Raises `ValueError` when all labels are equal or there are fewer groups than folds.
    """
    table = LabelTable.of(rows)
    share = table.balanced().share
    groups = group_counts(table.groups)
    if len(set(table.correct.tolist())) < 2 or any(found < parts for found, parts in zip(groups, folds, strict=True)):
        found, needed = (" × ".join(map(str, numbers)) for numbers in (groups, folds))
        raise ValueError(f"{len(rows)} labels in {found} groups: need both labels and {needed} groups")
    parts = [(test, _fitted(table.at(train))) for train, test in splits(table.groups, folds)]
    log_odds = np.zeros(len(rows))
    for test, solution in parts:
        log_odds[test] = solution[0] + table.signals[test] @ solution[1:]
    line = _calibration(log_odds, table)
    held_out = np.zeros(len(rows))
    for test, solution in parts:
        held_out[test] = _Model.of(solution, line).p_correct(table.signals[test])
    model = _Model.of(_fitted(table), line)
    return Fit(
        weights=dict(zip(CODES, model.weights.tolist(), strict=True)),
        probability=model.probability,
        log_odds=log_odds,
        held_out=held_out,
        auc=float(roc_auc_score(table.correct, held_out, sample_weight=share)),
        accuracy=float(np.average((held_out >= 0.5) == (table.correct == 1), weights=share)),
    )


@dataclass(frozen=True, slots=True)
class _Model:
    weights: Floats
    probability: Probability

    @classmethod
    def of(cls, solution: Floats, line: tuple[float, float]) -> _Model:
        """A fitted model by its calibration; no forgery counts for less than its bound."""
        slope, shift = line
        forged = np.array([FORGERIES.get(code, 0.0) for code in CODES])
        weights = np.where(forged < 0, np.minimum(slope * solution[1:], forged), slope * solution[1:])
        return cls(weights, Probability(intercept=float(slope * solution[0] + shift), least=LEAST, most=MOST))

    def p_correct(self, signals: Floats) -> Floats:
        return np.array([self.probability.of(_moves(row * self.weights)) for row in signals])


def _moves(products: Floats) -> list[tuple[ReasonCode, float]]:
    return [(CODES[place], float(products[place])) for place in np.flatnonzero(products)]


def _fitted(table: LabelTable) -> Floats:
    table = table.balanced()
    return fit_log_odds(table, bounds(table))


def _calibration(log_odds: Floats, table: LabelTable) -> tuple[float, float]:
    """The slope and the shift of the intercept, from held-out log-odds of trusted rows."""
    right = table.correct == 1
    share = table.share * table.trusted
    share = share * np.where(right, RIGHT_SHARE / share[right].sum(), (1 - RIGHT_SHARE) / share[~right].sum())

    def loss(solution: Floats) -> float:
        p_correct = LEAST + (MOST - LEAST) * expit(solution[0] * log_odds + solution[1])
        return float(-share @ np.log(np.where(right, p_correct, 1 - p_correct)))

    slope, shift = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(LEAST_SLOPE, 5.0), (-5.0, 5.0)]).x
    return float(slope), float(shift)


def weights_document(fit: Fit, *, version: str) -> dict[str, object]:
    """Returns the weights file as JSON-ready data, with four decimals so that it is the same on every machine.

    Weights below `LEAST_MOVE` are written as 0.
    """
    kept = {code: weight if abs(weight) >= LEAST_MOVE else 0.0 for code, weight in fit.weights.items()}
    return {
        "version": version,
        "intercept": round(fit.probability.intercept, 4),
        "least_p_correct": round(fit.probability.least, 4),
        "most_p_correct": round(fit.probability.most, 4),
        "weights": {code.value: round(weight, 4) + 0.0 for code, weight in kept.items()},
        "thresholds": {"correct": 0.65, "likely": 0.5, "potentially": 0.35},
    }
