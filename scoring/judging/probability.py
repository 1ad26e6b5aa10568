"""From log-odds to `p_correct`: what no evidence predicts is left open, and no single signal makes the judge sure."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from scoring.reason_kinds import AMOUNT_DOUBTS, DOUBTS, PROOFS, READINGS, ReasonKind, kind_of
from scoring.reasons import ReasonCode

ALONE = 0.36
"""The lowest `p_correct` that one signal can cause: honest doubt, which a second signal must bear out."""
SECOND = 1.0
"""Log-odds against an answer, beside its strongest signal, from which a second signal bears it out."""
LEAST_DOUBTED = 0.65
"""The lowest `p_correct` that doubts (`DOUBTS`) alone can cause: from here an answer is `Correct`."""
UNDECIDED = 0.5
"""The lowest `p_correct` of an answer with no fault but conditions that were not found: a hint is no error."""
LEAST_PROVED = 0.05
"""The lowest `p_correct` of SQL that is proved to answer nothing. A proof rests on a reading of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probability:
    """How log-odds become `p_correct`."""

    intercept: float
    """Log-odds of an answer on which no signal fires."""
    least: float = 0.0
    """The lowest `p_correct`, for evidence without limit: answers that look wrong, yet readers accept them."""
    most: float = 1.0
    """The highest `p_correct`."""

    def of(self, moves: Collection[tuple[ReasonCode, float]]) -> float:
        """`p_correct` = least + (most − least) × logistic(intercept + Σ moves as `counted`), with four rules.

        A proof (`PROOFS`) is not bound by the label noise. Without one, a single signal against the answer lowers it to
        `ALONE` at most. Hints and missing conditions without another fault take no verdict: they lower it to
        `UNDECIDED`. Doubts alone leave it at `LEAST_DOUBTED` or above. Beside other evidence, words without a
        counterpart count, and doubts about amounts, which say nothing of this answer, do not.

        >>> judge = Probability(intercept=2.0)
        >>> alone = [(ReasonCode.FILTER_MISMATCHED, -9.0)]
        >>> round(judge.of(alone), 2), round(judge.of([*alone, (ReasonCode.ORDER_FLIPPED, -3.0)]), 2)
        (0.36, 0.0)
        >>> [judge.of([(code, -9.0)]) for code in (ReasonCode.AMOUNT_OPEN, ReasonCode.OUTPUT_UNLINKED)]
        [0.65, 0.5]
        """
        p_correct = self._of(moves)
        if p_correct >= UNDECIDED or _have_fault(moves):
            return p_correct
        return max(p_correct, min(UNDECIDED, self._of_total((), self.least)))

    def _of(self, moves: Collection[tuple[ReasonCode, float]]) -> float:
        evidence = [(code, move) for code, move in moves if code not in DOUBTS]
        p_correct = self._of_evidence(evidence)
        if len(evidence) == len(moves):
            return p_correct
        if p_correct < LEAST_DOUBTED:
            return self._of_evidence([(code, move) for code, move in moves if code not in AMOUNT_DOUBTS])
        return max(self._of_total(moves, self.least), LEAST_DOUBTED)

    def _of_evidence(self, moves: Collection[tuple[ReasonCode, float]]) -> float:
        proved = not PROOFS.isdisjoint([code for code, _ in moves])
        least = min(self.least, LEAST_PROVED) if proved else self.least
        p_correct = self._of_total(moves, least)
        against = [-move for _, move in moves if move < 0]
        single = bool(against) and math.fsum(against) - max(against) < SECOND
        return max(p_correct, ALONE) if single and not proved else p_correct

    def _of_total(self, moves: Collection[tuple[ReasonCode, float]], least: float) -> float:
        total = self.intercept + math.fsum([move for _, move in moves])
        return least + (self.most - least) * _logistic(total)


def counted(moves: Collection[tuple[ReasonCode, float]]) -> list[tuple[ReasonCode, float]]:
    """The moves without those that count for nothing: that the question is plain says nothing beside a fault.

    Nor does it beside words of the question that the SQL does not follow.
    """
    against = any(move < 0 and code in READINGS for code, move in moves)
    plain = ReasonCode.PLAIN_QUESTION if against or _have_fault(moves) else None
    return [(code, move) for code, move in moves if code is not plain]


def _have_fault(moves: Collection[tuple[ReasonCode, float]]) -> bool:
    return any(move < 0 and _is_fault(code) for code, move in moves)


def _is_fault(code: ReasonCode) -> bool:
    """Whether a code is a fault other than a condition that was not found: words may have put it otherwise."""
    return code is not ReasonCode.FILTER_MISSING and kind_of(code) is ReasonKind.FAULT


def _logistic(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, log_odds))))
