"""Labelled answers as columns, and which of them meet the conditions of each candidate for a decision rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from learning.labelled import Floats
from learning.mining.observing import ObservedAnswer
from scoring.calibration import log_odds
from scoring.decision_rules import DecisionRule
from scoring.reasons import ReasonCode

Rows = NDArray[np.intp]
Held = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Codes that an answer has, and codes that it lacks."""

    having: tuple[ReasonCode, ...]
    lacking: tuple[ReasonCode, ...] = ()

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.having) + len(self.lacking)

    def rule(self, shift: float) -> DecisionRule:
        """The decision rule with these conditions."""
        return DecisionRule(having=frozenset(self.having), lacking=frozenset(self.lacking), shift=shift)


@dataclass(frozen=True, slots=True)
class DecisionTable:
    """Labelled answers of which nothing is proved, one a row; the rows of a question stand together."""

    answers: tuple[ObservedAnswer, ...]
    odds: Floats
    """The judge's log-odds before any calibration."""
    right: Floats
    question: Rows
    """The number of each row's question, from 0 on."""

    @classmethod
    def of(cls, answers: Sequence[ObservedAnswer]) -> DecisionTable:
        """The labelled answers that have a code: without one there is nothing that a rule could name."""
        rows = sorted([each for each in answers if each.right is not None and each.codes], key=lambda each: each.asked)
        numbers = {asked: place for place, asked in enumerate(dict.fromkeys(each.asked for each in rows))}
        return cls(
            tuple(rows),
            np.array([log_odds(each.p_judge) for each in rows], dtype=np.float64),
            np.array([bool(each.right) for each in rows], dtype=np.float64),
            np.array([numbers[each.asked] for each in rows], dtype=np.intp),
        )

    @property
    def questions(self) -> int:
        """How many questions there are."""
        return int(self.question[-1]) + 1 if self.question.size else 0

    def at(self, rows: Rows) -> DecisionTable:
        """Some of the rows, in their order."""
        places: list[int] = rows.tolist()
        return DecisionTable.of([self.answers[place] for place in places])

    def meeting(self, conditions: Conditions | DecisionRule) -> Held:
        """Which rows meet the conditions."""
        return np.array(
            [
                each.codes.issuperset(conditions.having) and each.codes.isdisjoint(conditions.lacking)
                for each in self.answers
            ],
            dtype=np.bool_,
        )


def candidates(table: DecisionTable, least: int) -> tuple[list[Conditions], Held]:
    """One code, two codes, or one without another, that at least so many questions show; one for each set of rows.

    Returns them with the rows that meet each.
    """
    fired = _fired(table)
    enough = [code for code, rows in fired.items() if _questions(table, rows) >= least]
    found: dict[bytes, tuple[Conditions, Held]] = {}
    for conditions, rows in _combined(enough, fired):
        if _questions(table, rows) >= least:
            found.setdefault(np.packbits(rows).tobytes(), (conditions, rows))
    if not found:
        return [], np.zeros((len(table.answers), 0), dtype=np.bool_)
    return [each for each, _ in found.values()], np.stack([rows for _, rows in found.values()], axis=1)


def _fired(table: DecisionTable) -> dict[ReasonCode, Held]:
    codes = sorted({code for each in table.answers for code in each.codes})
    return {code: np.array([code in each.codes for each in table.answers], dtype=np.bool_) for code in codes}


def _questions(table: DecisionTable, rows: Held) -> int:
    """Rows of a question stand together, so its number changes with the question."""
    return int(np.count_nonzero(np.diff(table.question[rows], prepend=-1)))


def _combined(codes: Sequence[ReasonCode], fired: dict[ReasonCode, Held]) -> Iterator[tuple[Conditions, Held]]:
    for code in codes:
        yield Conditions(having=(code,)), fired[code]
    for place, code in enumerate(codes):
        for other in codes[place + 1 :]:
            yield Conditions(having=(code, other)), fired[code] & fired[other]
            yield Conditions(having=(code,), lacking=(other,)), fired[code] & ~fired[other]
            yield Conditions(having=(other,), lacking=(code,)), fired[other] & ~fired[code]
