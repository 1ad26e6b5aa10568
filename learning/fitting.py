"""The logistic model of the local judge: fitted to answers one by one, and to pairs of answers to one question."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from learning.labelled import CODES, Floats, LabelTable
from learning.selection import Bounds
from scoring.reason_kinds import CONTRADICTIONS, FORGERIES, FORMS, HINTS, IN_FAVOUR
from scoring.reasons import ReasonCode

PENALTY = 3.0
"""Strength of the pull of each weight towards `PRIOR`, in summed row weights."""
PAIR_WEIGHT = 1.0
"""Weight of the pairs of a question beside the answers to it, one by one."""
CONTRADICTION = -3.0
"""The prior of a signal that contradicts the question."""
FAULT = -2.0
"""The prior of any other fault; of a form it is -0.5, and of a hint half its bound."""


def _prior(code: ReasonCode) -> float:
    if code in IN_FAVOUR:
        return 0.5
    if code in CONTRADICTIONS:
        return CONTRADICTION
    if code in FORMS:
        return -0.5
    if code in HINTS:
        return HINTS[code] / 2
    return FORGERIES.get(code, FAULT)


PRIOR = np.array([_prior(code) for code in CODES])
"""The log-odds that weights shrink towards.

Without it a code that is rare in the labels (a percentage without × 100) would weigh nothing.
"""


def fit_log_odds(table: LabelTable, bounds: Sequence[Bounds]) -> Floats:
    """The intercept, then a weight for each of `CODES`, within its bounds.

    Beside rows that do not punish form, each strict source has an intercept of its own, which is not returned.

    Minimises weighted log-loss of the answers + `PAIR_WEIGHT` × log-loss of the pairs + `PENALTY` ‖w − prior‖².
    A pair is a right and a wrong answer that agents gave to one question: only what differs between them can tell.
    """
    offsets = _offsets(table)
    signals, right, wrong = _patterns(np.hstack([table.signals, offsets]), table)
    gaps, gap_weights = _pairs(table)
    gaps = np.hstack([gaps, np.zeros((len(gaps), offsets.shape[1]))])
    free = [(None, None)] * offsets.shape[1]
    limits = [(None, None), *bounds, *free]
    low, high = (
        np.array([side if side is not None else sign * np.inf for side in sides])
        for sides, sign in zip(zip(*limits, strict=True), (-1, 1), strict=True)
    )
    prior = np.clip(np.concatenate([PRIOR, np.zeros(offsets.shape[1])]), low[1:], high[1:])

    def loss(solution: Floats) -> tuple[float, Floats]:
        log_odds, leads, away = solution[0] + signals @ solution[1:], gaps @ solution[1:], solution[1:] - prior
        value = right @ np.logaddexp(0, -log_odds) + wrong @ np.logaddexp(0, log_odds)
        value += gap_weights @ np.logaddexp(0, -leads) + PENALTY * away @ away
        slope = wrong * expit(log_odds) - right * expit(-log_odds)
        lead_slope = gap_weights * expit(-leads)
        gradient = signals.T @ slope - gaps.T @ lead_slope + 2 * PENALTY * away
        return float(value), np.concatenate([[slope.sum()], gradient])

    found = minimize(loss, np.concatenate([[0.0], prior]), jac=True, method="L-BFGS-B", bounds=limits)
    return np.asarray(found.x[: 1 + len(CODES)], dtype=np.float64)


def _offsets(table: LabelTable) -> Floats:
    """One column for each strict source, 1 on its rows; none where all rows are strict."""
    sources = np.unique(table.source[table.strict]) if not table.strict.all() else ()
    columns = [(table.strict & (table.source == each)).astype(np.float64) for each in sources]
    return np.column_stack(columns) if columns else np.zeros((len(table.source), 0))


def _patterns(columns: Floats, table: LabelTable) -> tuple[Floats, Floats, Floats]:
    """The distinct rows of `columns`, with the weight of right and of wrong answers that have them."""
    signals, place = np.unique(columns, axis=0, return_inverse=True)
    place = place.ravel()
    right, wrong = (
        np.bincount(place, table.share * side, len(signals)).astype(np.float64)
        for side in (table.correct, 1 - table.correct)
    )
    return signals, right, wrong


def _pairs(table: LabelTable) -> tuple[Floats, Floats]:
    """What a right answer has more than a wrong one to the same question, and weights that add up to its answers'."""
    gaps: list[Floats] = [np.zeros((0, len(CODES)))]
    weights: list[Floats] = [np.zeros(0)]
    for rows in _by_question(table):
        right, wrong = rows[table.correct[rows] == 1], rows[table.correct[rows] == 0]
        if len(right) and len(wrong):
            gap = (table.signals[right][:, None, :] - table.signals[wrong][None, :, :]).reshape(-1, len(CODES))
            gaps.append(gap)
            weights.append(np.full(len(gap), PAIR_WEIGHT * table.share[rows].sum() / len(gap)))
    distinct, place = np.unique(np.concatenate(gaps), axis=0, return_inverse=True)
    return distinct, np.bincount(place.ravel(), np.concatenate(weights), len(distinct)).astype(np.float64)


def _by_question(table: LabelTable) -> list[NDArray[np.intp]]:
    """The rows of each question that name their agent."""
    named = np.flatnonzero((table.agent != "") & (table.question != ""))
    ordered = named[np.argsort(table.question[named], kind="stable")]
    starts = np.unique(table.question[ordered], return_index=True)[1]
    return np.split(ordered, starts[1:])
