"""Takes a judge's reply and the context of its answer to the reply with memory."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scoring.judging.added_reasons import moved, with_reasons
from scoring.judging.local import LEAST_MOVE, MOST_REASONS, Thresholds
from scoring.memory.agreement import weigh_voices
from scoring.memory.catalogue import weigh_catalogue, weigh_conditions
from scoring.memory.context import MemoryContext
from scoring.reason_kinds import FORGERIES
from scoring.reasons import ReasonCode
from scoring.verdict import Reason, Reply

LEAST_BY_OTHERS = 0.14
"""Others lower `p_correct` only above this: of the answers that look most wrong, readers accept one in seven."""
_BY_PEOPLE = frozenset({ReasonCode.MATCHES_REVIEWED, ReasonCode.REPEATS_REJECTED, ReasonCode.DIFFERS_FROM_REVIEWED})


def weigh_context(alone: Reply, context: MemoryContext, thresholds: Thresholds) -> Reply:
    """The reply with memory: its log-odds are those of the answer alone plus the weights of memory's reasons.

    Others, unlike people, lower only what is above `LEAST_BY_OTHERS`: they alone make no answer sure to be wrong.
    `alone` keeps its verdict where memory has nothing to say, where the SQL does not parse or run, and, against a
    lift, where the answer only seems to answer: others who send the same forgery do not make it right.
    """
    if any(each.code in {ReasonCode.SQL_UNPARSEABLE, ReasonCode.SQL_FAILED} for each in alone.reasons):
        return alone
    found = [
        *weigh_voices(context),
        *weigh_catalogue(alone.reasons, context),
        *weigh_conditions(alone.reasons, context),
    ]
    if any(each.code in FORGERIES for each in alone.reasons):
        found = [each for each in found if each.weight < 0]
    found = [each for each in found if abs(each.weight) >= LEAST_MOVE]
    if not found:
        return alone
    p_correct = round(_moved(alone.p_correct, found), 4)
    return with_reasons(alone, found, thresholds.verdict(p_correct), p_correct, MOST_REASONS)


def _moved(p_correct: float, found: Sequence[Reason]) -> float:
    by_people = math.fsum([each.weight for each in found if each.code in _BY_PEOPLE])
    by_others = math.fsum([each.weight for each in found if each.code not in _BY_PEOPLE])
    return moved(_moved_by_others(p_correct, by_others), by_people)


def _moved_by_others(p_correct: float, weight: float) -> float:
    """The probability moved by what no person has said.

    >>> round(_moved_by_others(0.5, -9.0), 3), round(_moved_by_others(0.1, -9.0), 3), _moved_by_others(0.5, 9.0)
    (0.157, 0.1, 0.98)
    """
    if weight >= 0:
        return moved(p_correct, weight)
    above = (p_correct - LEAST_BY_OTHERS) / (1 - LEAST_BY_OTHERS)
    return LEAST_BY_OTHERS + (1 - LEAST_BY_OTHERS) * moved(above, weight)
