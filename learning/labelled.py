"""Labelled answers, as rows and as the columns that a fit reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from scoring.reason_kinds import FORMS
from scoring.reasons import ReasonCode
from scoring.signals import SIGNALS

Floats = NDArray[np.float64]
CODES = tuple(SIGNALS)
"""The columns of the signal matrix."""
IS_FORM = np.array([code in FORMS for code in CODES])


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A labelled answer: how strongly each signal fired, and whether the answer is right."""

    strengths: Mapping[ReasonCode, float]
    correct: bool
    groups: tuple[str, ...]
    """Its value of each field that is held out (a question, an agent), in the same order for all answers; "" if none.

    A model judges no answer that shares a value with an answer it was fitted to.
    """
    question: str = ""
    database: str = ""
    agent: str = ""
    source: str = ""
    """The set of labels it is from. The right and the wrong rows of a set have the same total weight in a fit."""
    weight: float = 1.0
    trusted: bool = True
    """Whether the label is reliable enough to calibrate the slope and the label noise."""
    strict: bool = False
    """Whether the label also punishes form, as labels by execution do: an extra column, an order, a rounding."""


@dataclass(frozen=True, slots=True)
class LabelTable:
    """Labelled answers as columns, one row per answer."""

    signals: Floats
    correct: Floats
    share: Floats
    """The weight of each row."""
    trusted: NDArray[np.bool_]
    strict: NDArray[np.bool_]
    question: NDArray[np.str_]
    database: NDArray[np.str_]
    agent: NDArray[np.str_]
    source: NDArray[np.str_]
    groups: NDArray[np.str_]
    """One column for each field that is held out."""

    @classmethod
    def of(cls, rows: Sequence[Labelled]) -> LabelTable:
        """The rows as columns, in their order. A label that does not punish form says nothing of forms."""
        strict = np.array([row.strict for row in rows], dtype=bool)
        signals = np.array([[row.strengths.get(code, 0.0) for code in CODES] for row in rows], dtype=np.float64)
        signals = signals.reshape(len(rows), len(CODES))
        signals = np.where(strict[:, None] | ~IS_FORM, signals, 0.0)
        return cls(
            signals,
            np.array([row.correct for row in rows], dtype=np.float64),
            np.array([row.weight for row in rows], dtype=np.float64),
            np.array([row.trusted for row in rows], dtype=bool),
            strict,
            np.array([row.question for row in rows], dtype=str),
            np.array([row.database for row in rows], dtype=str),
            np.array([row.agent for row in rows], dtype=str),
            np.array([row.source for row in rows], dtype=str),
            np.array([row.groups for row in rows], dtype=str).reshape(len(rows), len(rows[0].groups) if rows else 1),
        )

    def at(self, rows: NDArray[np.intp]) -> LabelTable:
        """Some of the rows."""
        return LabelTable(*[getattr(self, column.name)[rows] for column in fields(self)])

    def balanced(self) -> LabelTable:
        """The rows with shares by which both labels of each source have half of its total weight.

        A fit balances the rows that it sees: with the balance of all rows, what is held out would show in the rest.
        """
        share = self.share.copy()
        for source in np.unique(self.source):
            rows = self.source == source
            right, wrong = rows & (self.correct == 1), rows & (self.correct == 0)
            if right.any() and wrong.any():
                for side in (right, wrong):
                    share[side] *= self.share[rows].sum() / (2 * self.share[side].sum())
        return replace(self, share=share)
