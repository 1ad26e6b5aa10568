"""Fits the local judge's weights to labelled answers: a logistic model whose signs agree with what each code says."""

# scipy and scikit-learn ship no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold

from scoring.judging.local import LEAST_MOVE
from scoring.reasons import HINTS, IN_FAVOUR, ReasonCode
from scoring.signals import SIGNALS

MOST_DOUBT = 0.2
"""Largest share of labels that may be held to be beyond all evidence."""
Floats = NDArray[np.float64]
INNER_FOLDS = 4
"""Splits within the rows of a fit, by which its steepness is told."""
CODES = tuple(SIGNALS)
"""The columns of the signal matrix."""
PRIOR = np.array([0.5 if code in IN_FAVOUR else max(-1.0, HINTS.get(code, -1.0)) for code in CODES])
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
    trusted: bool = True
    """The labels of its set are sure enough to tell how steep log-odds are, and how far from certain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted model and what it scored on groups it had not seen."""

    intercept: float
    weights: Mapping[ReasonCode, float]
    doubt: float
    """Share of trusted labels on either side that the log-odds did not foretell on groups held out."""
    held_out: Floats
    """`p_correct` of each row, shape (rows,), predicted by a model that had not seen its group."""
    auc: float
    accuracy: float


def calibrate(rows: Sequence[Labelled], *, penalty: float = 1.0, folds: int = 5) -> Fit:
    """Fits on all rows; measures on groups held out. The same rows in the same order give the same weights.

    How steep the log-odds are, and how near to certain they may come, is corrected by what they were worth on groups
    held out (Platt's scaling with a share of doubt); the steepness is folded into intercept and weights.

    `penalty` is the strength of the pull to `PRIOR` on each weight, in summed row weights. Raises `ValueError`
    when there is one label only, or fewer groups than folds.
    """
    table = _tabled(rows)
    groups = len(set(table.groups.tolist()))
    if len(set(table.correct.tolist())) < 2 or groups < folds:
        raise ValueError(f"{len(rows)} labels in {groups} groups: need both labels and {folds} groups")
    held_out = np.zeros(len(rows))
    for train, test in _splits(table, folds):
        held_out[test] = _scaled(table.of(train), penalty).p_correct(table.signals[test])
    model = _scaled(table, penalty)
    return Fit(
        intercept=float(model.solution[0]),
        weights={code: float(weight) for code, weight in zip(CODES, model.solution[1:], strict=True)},
        doubt=model.doubt,
        held_out=held_out,
        auc=float(roc_auc_score(table.correct, held_out, sample_weight=table.share)),
        accuracy=float(np.average((held_out >= 0.5) == (table.correct == 1), weights=table.share)),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """Labelled answers as columns, a row each."""

    signals: Floats
    correct: Floats
    share: Floats
    trusted: NDArray[np.bool_]
    groups: NDArray[np.str_]

    def of(self, rows: NDArray[np.intp]) -> _Table:
        return _Table(self.signals[rows], self.correct[rows], self.share[rows], self.trusted[rows], self.groups[rows])


def _tabled(rows: Sequence[Labelled]) -> _Table:
    return _Table(
        np.array([[row.strengths.get(code, 0.0) for code in CODES] for row in rows], dtype=np.float64),
        np.array([row.correct for row in rows], dtype=np.float64),
        np.array([row.weight for row in rows], dtype=np.float64),
        np.array([row.trusted for row in rows], dtype=bool),
        np.array([row.group for row in rows]),
    )


@dataclass(frozen=True, slots=True)
class _Model:
    solution: Floats
    """The intercept, then a weight for each of `CODES`."""
    doubt: float

    def p_correct(self, signals: Floats) -> Floats:
        return self.doubt + (1 - 2 * self.doubt) * expit(self.solution[0] + signals @ self.solution[1:])


def _splits(table: _Table, folds: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows to fit on and rows to judge, no group among both."""
    yield from GroupKFold(folds).split(table.signals, table.correct, table.groups)


def _fit(table: _Table, penalty: float) -> Floats:
    """Minimises weighted log-loss + penalty ‖w − prior‖², each weight bounded to its code's side of 0."""
    signs = np.where(table.correct == 1, 1.0, -1.0)

    def loss(solution: Floats) -> tuple[float, Floats]:
        margins = signs * (solution[0] + table.signals @ solution[1:])
        away = solution[1:] - PRIOR
        value = float(table.share @ np.logaddexp(0, -margins) + penalty * away @ away)
        slope = -table.share * signs * expit(-margins)
        gradient = np.concatenate([[slope.sum()], table.signals.T @ slope + 2 * penalty * away])
        return value, gradient

    sides = [_side(code) for code in CODES]
    found = minimize(loss, np.concatenate([[0.0], PRIOR]), jac=True, method="L-BFGS-B", bounds=[(None, None), *sides])
    return np.asarray(found.x, dtype=np.float64)


def _side(code: ReasonCode) -> tuple[float | None, float | None]:
    """The range a code's weight may take: for, against, or against within what a hint may count."""
    return (0.0, None) if code in IN_FAVOUR else (HINTS.get(code), 0.0)


def _scaled(table: _Table, penalty: float) -> _Model:
    """A fit whose log-odds are as steep, and as far from certain, as groups held out within the same rows ask."""
    log_odds = np.zeros(len(table.correct))
    for train, test in _splits(table, min(INNER_FOLDS, len(set(table.groups.tolist())))):
        solution = _fit(table.of(train), penalty)
        log_odds[test] = solution[0] + table.signals[test] @ solution[1:]
    steepness, doubt = _steepness(log_odds, table)
    return _Model(steepness * _fit(table, penalty), doubt)


def _steepness(log_odds: Floats, table: _Table) -> tuple[float, float]:
    """The factor and the doubt that make log-odds of trusted rows held out say how often they are right.

    No shift is fitted: the intercept has seen every group, and a shift would differ between splits by chance.
    """
    signs = np.where(table.correct == 1, 1.0, -1.0)
    share = table.share * table.trusted

    def loss(solution: Floats) -> float:
        factor, doubt = solution
        return float(-share @ np.log(doubt + (1 - 2 * doubt) * expit(signs * factor * log_odds)))

    found = minimize(loss, np.array([1.0, MOST_DOUBT / 4]), method="L-BFGS-B", bounds=[(0.05, 5.0), (0.0, MOST_DOUBT)])
    return float(found.x[0]), float(found.x[1])


def weights_document(fit: Fit, *, version: str) -> dict[str, object]:
    """The weights file: what `scoring.judge.load_weights` reads. Four decimals, so that it is the same everywhere.

    A weight too small to be told is none.
    """
    told = {code: weight if abs(weight) >= LEAST_MOVE else 0.0 for code, weight in fit.weights.items()}
    return {
        "version": version,
        "intercept": round(fit.intercept, 4),
        "label_noise": round(fit.doubt, 4),
        "weights": {code.value: round(weight, 4) + 0.0 for code, weight in told.items()},
        "thresholds": {"correct": 0.65, "likely": 0.5, "potentially": 0.35},
    }
