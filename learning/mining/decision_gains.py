"""What a decision rule gains on questions that it was not fitted to, beyond the tenant's own line."""

# scipy ships no types
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, stdtr

from learning.labelled import Floats
from learning.mining.decision_table import DecisionTable, Held, Rows
from learning.nearest_line import nearest_line, question_folds

FOLDS = 5
"""Parts of the cross-validation, by question."""
MOST_FITTED = 1.0
"""Most log-odds of a rule that is proposed, of either sign."""
SPREAD = 0.7
"""How far rules are expected to move the log-odds: a standard deviation around 0."""
_LEAST_DEVIATION = 2.0
"""Standard errors; among some hundred candidates none is found with less."""
_STEPS = 5


@dataclass(frozen=True, slots=True)
class Gains:
    """What each of several candidates gains on held-out questions."""

    log_loss: Floats
    """The sum over questions of the mean drop in log-loss."""
    p_value: Floats
    """The p-value of "it gains nothing"."""
    verdicts: Floats
    """The share of its questions by which wrong verdicts (on the other side of even odds) become fewer."""


@dataclass(frozen=True, slots=True)
class Cells:
    """The rows that meet each candidate, as pairs of a row and a candidate."""

    row: Rows
    column: Rows
    share: Floats
    """The pairs of one question and one candidate weigh 1 together."""
    columns: int

    @classmethod
    def of(cls, table: DecisionTable, held: Held) -> Cells:
        """The pairs of the candidates in the columns of `held`."""
        row, column = np.nonzero(held)
        columns = held.shape[1]
        cell = table.question[row] * columns + column
        return cls(row, column, 1.0 / np.bincount(cell)[cell], columns)

    def at(self, rows: Rows) -> Cells:
        """The pairs of some rows."""
        kept = np.flatnonzero(np.isin(self.row, rows))
        return Cells(self.row[kept], self.column[kept], self.share[kept], self.columns)

    def total(self, values: Floats) -> Floats:
        """The sum of each candidate's pairs."""
        return np.bincount(self.column, weights=self.share * values, minlength=self.columns).astype(np.float64)

    def by_question(self, table: DecisionTable, values: Floats) -> Floats:
        """The sum of each question and candidate."""
        cell = table.question[self.row] * self.columns + self.column
        size = table.questions * self.columns
        sums = np.bincount(cell, weights=self.share * values, minlength=size).astype(np.float64)
        return sums.reshape(-1, self.columns)


def folds(table: DecisionTable, parts: int) -> Iterator[tuple[Rows, Rows]]:
    """Training rows and test rows that share no question."""
    yield from question_folds(table.question, parts)


def promising(table: DecisionTable, held: Held) -> NDArray[np.intp]:
    """The candidates whose labels are not about as the tenant's line says: the others cannot be found."""
    intercept, slope = nearest_line(table.odds, table.right)
    cells = Cells.of(table, held)
    off = (table.right - expit(intercept + slope * table.odds))[cells.row]
    by_question = cells.by_question(table, off)
    spread = np.sqrt((by_question**2).sum(axis=0))
    return np.flatnonzero(np.abs(by_question.sum(axis=0)) > _LEAST_DEVIATION * spread)


def gains(table: DecisionTable, held: Held, moved: Floats) -> Gains:
    """The gains of the candidates in the columns of `held`, where rules move the rows by `moved` already."""
    cells = Cells.of(table, held)
    sign, judged = 2 * table.right - 1, table.odds + moved
    line, shift = np.zeros(len(judged)), np.zeros(len(cells.row))
    for train, test in folds(table, FOLDS):
        intercept, slope = nearest_line(judged[train], table.right[train])
        line[test] = intercept + slope * judged[test]
        fitted = fitted_shifts(table, cells.at(train), intercept + slope * judged)
        within = np.isin(cells.row, test)
        shift[within] = fitted[cells.column[within]]
    before, right = line[cells.row], sign[cells.row]
    gained = np.logaddexp(0, -right * before) - np.logaddexp(0, -right * (before + shift))
    wrong_before, wrong_after = right * judged[cells.row] < 0, right * (judged[cells.row] + shift) < 0
    corrected = cells.total(wrong_before.astype(np.float64) - wrong_after.astype(np.float64))
    return _gains(cells.by_question(table, gained), cells.by_question(table, np.ones(len(gained))), corrected)


def _gains(gained: Floats, shown: Floats, corrected: Floats) -> Gains:
    """The gains from what each question gains with each candidate, and whether it shows it."""
    here = shown > 0
    number = np.maximum(here.sum(axis=0), 2)
    mean = gained.sum(axis=0) / number
    spread = np.sqrt((here * (gained - mean) ** 2).sum(axis=0) / (number - 1))
    p_value = stdtr(number - 1, -mean / np.maximum(spread / np.sqrt(number), 1e-12))
    return Gains(log_loss=gained.sum(axis=0), p_value=p_value, verdicts=corrected / number)


def fitted_shifts(table: DecisionTable, cells: Cells, line: Floats) -> Floats:
    """The shift of each candidate that makes the labels likeliest, drawn towards 0, by Newton's method."""
    shift = np.zeros(cells.columns)
    right, odds = table.right[cells.row], line[cells.row]
    for _ in range(_STEPS):
        likely = expit(odds + shift[cells.column])
        slope = cells.total(right - likely) - shift / SPREAD**2
        curve = cells.total(likely * (1 - likely)) + 1 / SPREAD**2
        shift = np.clip(shift + slope / curve, -MOST_FITTED, MOST_FITTED)
    return shift
