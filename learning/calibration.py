"""Fits the local judge's weights to labelled answers: a logistic model that keeps the sign of each reason code."""

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
from scoring.reasons import FORGERIES, HINTS, IN_FAVOUR, ReasonCode
from scoring.signals import SIGNALS

MOST_LABEL_NOISE = 0.2
"""The highest label-noise floor that a fit may reach."""
Floats = NDArray[np.float64]
INNER_FOLDS = 4
"""Splits of the training rows, on which the slope is calibrated."""
NO_GROUP = -1
"""The part of a row without a group: no split holds it out by that field."""
CODES = tuple(SIGNALS)
"""The columns of the signal matrix."""
PRIOR = np.array(
    [0.5 if code in IN_FAVOUR else FORGERIES.get(code, max(-1.0, HINTS.get(code, -1.0))) for code in CODES]
)
"""The log-odds that weights shrink towards.

Without it a code that is rare in the labels (a percentage without × 100) would weigh nothing.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A labelled answer: how strongly each signal fired, and whether the answer is right."""

    strengths: Mapping[ReasonCode, float]
    correct: bool
    groups: tuple[str, ...]
    """Its value of each field that is held out (a question, an agent), in the same order for all answers; "" if none.

    A model judges no answer that shares a value with an answer it was fitted to.
    """
    weight: float = 1.0
    trusted: bool = True
    """Whether the label is reliable enough to calibrate the slope and the label-noise floor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """A fitted model and its figures on held-out groups."""

    intercept: float
    weights: Mapping[ReasonCode, float]
    label_noise: float
    """The label-noise floor: the least probability of either verdict, fitted on held-out groups."""
    held_out: Floats
    """`p_correct` of each row, shape (rows,), from a model that was not fitted on its group."""
    auc: float
    accuracy: float


def calibrate(rows: Sequence[Labelled], *, penalty: float = 1.0, folds: Sequence[int] = (5,)) -> Fit:
    """Fits on all rows and measures on held-out groups. The same rows in the same order give the same weights.

    `folds` is the number of parts for each field of `groups`. With two fields, a model judges only answers of which
    it has seen neither group.

    The slope of the log-odds and the label-noise floor are calibrated on held-out groups (Platt scaling with a floor).
    The intercept and the weights include the slope.

    `penalty` is the strength of the pull of each weight towards `PRIOR`, in summed row weights. Raises `ValueError`
    when all labels are equal or there are fewer groups than folds.
    """
    table = _tabled(rows)
    groups = [len(set(each.tolist()) - {""}) for each in table.groups.T]
    if len(set(table.correct.tolist())) < 2 or any(found < parts for found, parts in zip(groups, folds, strict=True)):
        found, needed = (" × ".join(map(str, numbers)) for numbers in (groups, folds))
        raise ValueError(f"{len(rows)} labels in {found} groups: need both labels and {needed} groups")
    held_out = np.zeros(len(rows))
    for train, test in _splits(table, folds):
        held_out[test] = _scaled(table.of(train), penalty).p_correct(table.signals[test])
    model = _scaled(table, penalty)
    return Fit(
        intercept=float(model.solution[0]),
        weights={code: _kept(code, float(weight)) for code, weight in zip(CODES, model.solution[1:], strict=True)},
        label_noise=model.label_noise,
        held_out=held_out,
        auc=float(roc_auc_score(table.correct, held_out, sample_weight=table.share)),
        accuracy=float(np.average((held_out >= 0.5) == (table.correct == 1), weights=table.share)),
    )


@dataclass(frozen=True, slots=True)
class _Table:
    """Labelled answers as columns, one row per answer."""

    signals: Floats
    correct: Floats
    share: Floats
    trusted: NDArray[np.bool_]
    groups: NDArray[np.str_]
    """One column for each field that is held out."""

    def of(self, rows: NDArray[np.intp]) -> _Table:
        return _Table(self.signals[rows], self.correct[rows], self.share[rows], self.trusted[rows], self.groups[rows])


def _tabled(rows: Sequence[Labelled]) -> _Table:
    return _Table(
        np.array([[row.strengths.get(code, 0.0) for code in CODES] for row in rows], dtype=np.float64),
        np.array([row.correct for row in rows], dtype=np.float64),
        np.array([row.weight for row in rows], dtype=np.float64),
        np.array([row.trusted for row in rows], dtype=bool),
        np.array([row.groups for row in rows], dtype=str).reshape(len(rows), len(rows[0].groups) if rows else 1),
    )


@dataclass(frozen=True, slots=True)
class _Model:
    solution: Floats
    """The intercept, then a weight for each of `CODES`."""
    label_noise: float

    def p_correct(self, signals: Floats) -> Floats:
        return self.label_noise + (1 - 2 * self.label_noise) * expit(self.solution[0] + signals @ self.solution[1:])


def _splits(table: _Table, folds: Sequence[int]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yields training rows and test rows that share no group of any field. Each row is tested once."""
    parts = np.stack([_parts(groups, count) for groups, count in zip(table.groups.T, folds, strict=True)], axis=1)
    for cell in np.unique(parts, axis=0):
        test = (parts == cell).all(axis=1)
        apart = ((parts != cell) | (cell == NO_GROUP)).all(axis=1)
        yield np.flatnonzero(apart), np.flatnonzero(test)


def _parts(groups: NDArray[np.str_], count: int) -> NDArray[np.intp]:
    """The part of the cross-validation that each row is in; `NO_GROUP` for rows without a group."""
    parts = np.full(len(groups), NO_GROUP, dtype=np.intp)
    grouped = np.flatnonzero(groups != "")
    for part, (_, test) in enumerate(GroupKFold(count).split(grouped, groups=groups[grouped])):
        parts[grouped[test]] = part
    return parts


def _fit(table: _Table, penalty: float) -> Floats:
    """Minimises weighted log-loss + penalty ‖w − prior‖², with each weight on its code's side of 0."""
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
    """The range of a code's weight: positive, negative, or negative down to the limit of a hint."""
    return (0.0, None) if code in IN_FAVOUR else (HINTS.get(code), FORGERIES.get(code, 0.0))


def _kept(code: ReasonCode, weight: float) -> float:
    """A fitted weight, but no less than a forgery's code must move whatever the slope."""
    return min(weight, FORGERIES.get(code, weight))


def _scaled(table: _Table, penalty: float) -> _Model:
    """Fits a model whose slope and label-noise floor are calibrated on held-out groups of the same rows."""
    log_odds = np.zeros(len(table.correct))
    for train, test in _splits(table, [min(INNER_FOLDS, len(set(each.tolist()) - {""})) for each in table.groups.T]):
        solution = _fit(table.of(train), penalty)
        log_odds[test] = solution[0] + table.signals[test] @ solution[1:]
    slope, label_noise = _slope(log_odds, table)
    return _Model(slope * _fit(table, penalty), label_noise)


def _slope(log_odds: Floats, table: _Table) -> tuple[float, float]:
    """Fits the slope and the label-noise floor to the log-odds of held-out, trusted rows.

    No shift is fitted: the intercept was fitted on every group, and a shift would differ between splits by chance.
    """
    signs = np.where(table.correct == 1, 1.0, -1.0)
    share = table.share * table.trusted

    def loss(solution: Floats) -> float:
        factor, label_noise = solution
        return float(-share @ np.log(label_noise + (1 - 2 * label_noise) * expit(signs * factor * log_odds)))

    found = minimize(
        loss, np.array([1.0, MOST_LABEL_NOISE / 4]), method="L-BFGS-B", bounds=[(0.05, 5.0), (0.0, MOST_LABEL_NOISE)]
    )
    return float(found.x[0]), float(found.x[1])


def weights_document(fit: Fit, *, version: str) -> dict[str, object]:
    """Returns the weights file as JSON-ready data, with four decimals so that it is the same on every machine.

    Weights below `LEAST_MOVE` are written as 0.
    """
    kept = {code: weight if abs(weight) >= LEAST_MOVE else 0.0 for code, weight in fit.weights.items()}
    return {
        "version": version,
        "intercept": round(fit.intercept, 4),
        "label_noise": round(fit.label_noise, 4),
        "weights": {code.value: round(weight, 4) + 0.0 for code, weight in kept.items()},
        "thresholds": {"correct": 0.65, "likely": 0.5, "potentially": 0.35},
    }
