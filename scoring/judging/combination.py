"""Combines a model's verdict with the record: what is not proved moves the model's log-odds by a bounded amount."""

from __future__ import annotations

import math
from dataclasses import replace

from scoring.immutable import immutable
from scoring.reasons import ReasonCode
from scoring.verdict import Reason, Reply, Verdict

TRUST = 0.8
"""Log-odds that one of a model's is worth, unless it is calibrated: models are surer than they are right."""
MOST_MOVED = TRUST
"""Most log-odds by which the record moves a model. A model whose confidence is at least .74 is not overruled."""
WEIGHT = 0.35 * TRUST
"""Log-odds of the model for one of the local judge."""
SUREST = 0.98
"""The confidence that a model's own is cut to: a model that is always certain says nothing by it."""
RIGHT = frozenset({Verdict.CORRECT, Verdict.LIKELY_CORRECT})
"""The verdicts that say the answer is right."""
_SCALE = tuple(Verdict)
_CORRECT, _INCORRECT = 0.7, 0.3
"""`p_correct` from which an answer is Correct, and below which it is Incorrect."""


@immutable()
class ModelCalibration:
    """How a model's log-odds become calibrated ones: slope × log-odds + offset."""

    slope: float = TRUST
    """Above 0; below 1 for a model that is too sure."""
    offset: float = 0.0
    """Below 0 for a model that is too lenient."""

    def log_odds(self, p_correct: float) -> float:
        """The calibrated log-odds.

        >>> round(ModelCalibration(slope=0.5).log_odds(1.0), 2), ModelCalibration().log_odds(0.5)
        (1.95, 0.0)
        """
        return self.slope * _log_odds(p_correct) + self.offset


UNCALIBRATED = ModelCalibration()


def combined(reply: Reply, local: float, calibration: ModelCalibration = UNCALIBRATED, *, unmet: bool = False) -> Reply:
    """The model's reply, moved by the local judge's `p_correct`; `unmet`: a condition that it proposed is not there.

    The verdict is the worse of the model's and that of the probability, or the latter where the two take sides.

    >>> said = Reply(verdict=Verdict.CORRECT, confidence=0.9, p_correct=0.9, reasons=(), judge="llm/2")
    >>> [combined(said, local).p_correct for local in (0.05, 0.5, 0.95)]
    [0.7227, 0.8529, 0.9281]
    """
    move = -MOST_MOVED if unmet else max(-MOST_MOVED, min(MOST_MOVED, WEIGHT * _log_odds(local)))
    p_correct = round(1 / (1 + math.exp(-(calibration.log_odds(reply.p_correct) + move))), 4)
    right = p_correct >= 0.5
    agrees = right is (reply.verdict in RIGHT)
    verdict = max(_verdict(p_correct), reply.verdict, key=_SCALE.index) if agrees else _verdict(p_correct)
    moved = replace(
        reply, verdict=verdict, p_correct=p_correct, confidence=p_correct if right else round(1 - p_correct, 4)
    )
    if agrees:
        return moved
    detail = f"the model says {reply.verdict.value}, unsure; with the record it is {verdict.value}"
    return replace(moved, reasons=(Reason(code=ReasonCode.JUDGE_CONTRADICTS_EVIDENCE, detail=detail), *reply.reasons))


def _verdict(p_correct: float) -> Verdict:
    if p_correct >= 0.5:
        return Verdict.CORRECT if p_correct >= _CORRECT else Verdict.LIKELY_CORRECT
    return Verdict.INCORRECT if p_correct < _INCORRECT else Verdict.POTENTIALLY_INCORRECT


def _log_odds(p_correct: float) -> float:
    bounded = max(1 - SUREST, min(SUREST, p_correct))
    return math.log(bounded / (1 - bounded))
