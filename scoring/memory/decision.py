"""Takes a judge's reply and the context of its answer to the reply with memory."""

from __future__ import annotations

import math

from scoring.judging.added_reasons import moved, with_reasons
from scoring.judging.local import LEAST_MOVE, MOST_REASONS, Thresholds
from scoring.memory.agreement import weigh_voices
from scoring.memory.catalogue import weigh_catalogue
from scoring.memory.context import MemoryContext
from scoring.reasons import FORGERIES, ReasonCode
from scoring.verdict import Reply


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
    p_correct = round(moved(alone.p_correct, move), 4)
    return with_reasons(alone, found, thresholds.verdict(p_correct), p_correct, MOST_REASONS)
