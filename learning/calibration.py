"""Fits the local judge's weights to labelled answers: a logistic model whose signs agree with what each code says."""

# scipy and scikit-learn ship no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from scoring.reasons import HINTS, IN_FAVOUR, ReasonCode
from scoring.signals import SIGNALS

LEAST_HINT = -2.0
"""Strongest weight, in log-odds, of a code that only hints.

Execution labels call every answer with one column more than the reference wrong; readers do so less often.
"""
Floats = NDArray[np.float64]
INNER_FOLDS = 4
"""Splits within the rows of a fit, by which its steepness is told."""
CODES = tuple(SIGNALS)
"""The columns of the signal matrix."""
PRIOR = np.array([0.5 if code in IN_FAVOUR else -1.0 for code in CODES])
"""Log-odds that weights shrink towards: what a code says is believed, mildly, until labels say more.

A code that is rare in the labels (a percentage without × 100) would otherwise weigh nothing.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One labelled answer: how strongly each signal fired on it, and whether it is right."""

    strengths: Mapping[ReasonCode, float]
    correct: bool
    group: str
    """Answers of one group (a question, a database) never stand on both sides of a split."""
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted model and what it scored on groups it had not seen."""

    intercept: float
    weights: Mapping[ReasonCode, float]
    held_out: Floats
    """`p_correct` of each row, shape (rows,), predicted by a model that had not seen its group."""
    auc: float
    accuracy: float


def calibrate(rows: Sequence[Labelled], *, penalty: float = 1.0, folds: int = 5) -> Fit:
    """Fits on all rows; measures on groups held out. The same rows in the same order give the same weights.

    How steep the log-odds are is corrected by what they were worth on groups held out (Platt's scaling), and the
    correction is folded into intercept and weights.

    `penalty` is the strength of the pull to `PRIOR` on each weight, in summed row weights. Raises `ValueError`
    when there is one label only, or fewer groups than folds.
    """
    signals = np.array([[row.strengths.get(code, 0.0) for code in CODES] for row in rows], dtype=np.float64)
    correct = np.array([row.correct for row in rows], dtype=np.float64)
    share = np.array([row.weight for row in rows], dtype=np.float64)
    groups = np.array([row.group for row in rows])
    if len(set(correct.tolist())) < 2 or len(set(groups.tolist())) < folds:
        raise ValueError(
            f"{len(rows)} labels in {len(set(groups.tolist()))} groups: need both labels and {folds} groups"
        )
    held_out = np.zeros(len(rows))
    for train, test in GroupKFold(folds).split(signals, correct, groups):
        solution = _scaled(signals[train], correct[train], share[train], groups[train], penalty)
        held_out[test] = expit(solution[0] + signals[test] @ solution[1:])
    solution = _scaled(signals, correct, share, groups, penalty)
    return Fit(
        intercept=float(solution[0]),
        weights={code: float(weight) for code, weight in zip(CODES, solution[1:], strict=True)},
        held_out=held_out,
        auc=float(roc_auc_score(correct, held_out, sample_weight=share)),
        accuracy=float(np.average((held_out >= 0.5) == (correct == 1), weights=share)),
    )


def _fit(signals: Floats, correct: Floats, share: Floats, penalty: float) -> Floats:
    """Minimises weighted log-loss + penalty ‖w − prior‖², each weight bounded to its code's side of 0."""
    signs = np.where(correct == 1, 1.0, -1.0)

    def loss(solution: Floats) -> tuple[float, Floats]:
        margins = signs * (solution[0] + signals @ solution[1:])
        away = solution[1:] - PRIOR
        value = float(share @ np.logaddexp(0, -margins) + penalty * away @ away)
        slope = -share * signs * expit(-margins)
        gradient = np.concatenate([[slope.sum()], signals.T @ slope + 2 * penalty * away])
        return value, gradient

    sides = [_side(code) for code in CODES]
    found = minimize(loss, np.concatenate([[0.0], PRIOR]), jac=True, method="L-BFGS-B", bounds=[(None, None), *sides])
    return np.asarray(found.x, dtype=np.float64)


def _side(code: ReasonCode) -> tuple[float | None, float | None]:
    """The range a code's weight may take: for, against, or against within `LEAST_HINT`."""
    if code in IN_FAVOUR:
        return (0.0, None)
    return (LEAST_HINT if code in HINTS else None, 0.0)


def _scaled(signals: Floats, correct: Floats, share: Floats, groups: NDArray[np.str_], penalty: float) -> Floats:
    """A fit whose log-odds are as steep as those of groups held out within the same rows were right to be."""
    log_odds = np.zeros(len(correct))
    folds = min(INNER_FOLDS, len(set(groups.tolist())))
    for train, test in GroupKFold(folds).split(signals, correct, groups):
        solution = _fit(signals[train], correct[train], share[train], penalty)
        log_odds[test] = solution[0] + signals[test] @ solution[1:]
    return _slope(log_odds, correct, share) * _fit(signals, correct, share, penalty)


def _slope(log_odds: Floats, correct: Floats, share: Floats) -> float:
    """The factor that makes log-odds of rows held out say how often they are right.

    No shift is fitted: the intercept has seen every group, and a shift would differ between splits by chance.
    """
    signs = np.where(correct == 1, 1.0, -1.0)

    def loss(factor: Floats) -> float:
        return float(share @ np.logaddexp(0, -signs * factor[0] * log_odds))

    return float(minimize(loss, np.ones(1), method="L-BFGS-B", bounds=[(0.05, 5.0)]).x[0])


def weights_document(fit: Fit, *, version: str) -> dict[str, object]:
    """The weights file: what `scoring.judge.load_weights` reads. Four decimals, so that it is the same everywhere."""
    return {
        "version": version,
        "intercept": round(fit.intercept, 4),
        "weights": {code.value: round(weight, 4) + 0.0 for code, weight in fit.weights.items()},
        "thresholds": {"correct": 0.65, "likely": 0.5, "potentially": 0.35},
    }
