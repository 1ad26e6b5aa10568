"""Takes a judge's reply and the context of its answer to the reply with memory."""

from __future__ import annotations

import math
from dataclasses import replace

from scoring.judging.local import LEAST_MOVE, MOST_REASONS, Thresholds
from scoring.memory.agreement import weigh_voices
from scoring.memory.catalogue import weigh_catalogue
from scoring.memory.context import MemoryContext
from scoring.reasons import FORGERIES, PRIORS, ReasonCode
from scoring.verdict import Reason, Reply

CERTAINTY = 0.98
"""`p_correct` with memory stays within [1 − CERTAINTY, CERTAINTY]."""


def weigh_context(alone: Reply, context: MemoryContext, thresholds: Thresholds) -> Reply:
    """The reply with memory: its log-odds are those of the answer alone plus the weights of memory's reasons.

    `alone` keeps its verdict where memory has nothing to say, where the SQL does not parse or run, and, against a
    lift, where the answer only seems to answer: others who send the same forgery do not make it right.
    """
    if any(each.code in {ReasonCode.SQL_UNPARSEABLE, ReasonCode.SQL_FAILED} for each in alone.reasons):
        return alone
    found = [*weigh_voices(context), *weigh_catalogue(alone.reasons, context)]
    if any(each.code in FORGERIES for each in alone.reasons):
        found = [each for each in found if each.weight < 0]
    found = [each for each in found if abs(each.weight) >= LEAST_MOVE]
    if not found:
        return alone
    move = math.fsum([each.weight for each in found])
    p_correct = round(_moved(alone.p_correct, move), 4)
    return replace(
        alone,
        verdict=thresholds.verdict(p_correct),
        confidence=round(max(p_correct, 1 - p_correct), 4),
        p_correct=p_correct,
        reasons=_strongest((*alone.reasons, *found)),
    )


def _moved(p_alone: float, move: float) -> float:
    """The probability moved by log-odds; it is never moved away from where it was by the bound itself."""
    bounded = max(1 - CERTAINTY, min(CERTAINTY, p_alone))
    moved = 1 / (1 + math.exp(-(math.log(bounded / (1 - bounded)) + move)))
    kept = max(1 - CERTAINTY, min(CERTAINTY, moved))
    return max(p_alone, kept) if move > 0 else min(p_alone, kept)


def _strongest(reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    ranked = sorted(reasons, key=lambda each: (each.code in PRIORS, -abs(each.weight)))
    return tuple(ranked[:MOST_REASONS])
