"""What the judge reads from the words of a letter, a long question of several sentences, counts little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scoring.question.background import is_letter
from scoring.reasons import ReasonCode
from scoring.verdict import Case, Finding

DOUBTED = 0.15
"""Share of its strength that a fault keeps which is read from the words of a letter."""
READ_FROM_WORDS = frozenset(
    {
        ReasonCode.FILTER_MISSING,
        ReasonCode.FILTER_MISMATCHED,
        ReasonCode.COMPARISON_FLIPPED,
        ReasonCode.NEGATION_LOST,
        ReasonCode.NEGATION_PER_ROW,
        ReasonCode.VALUE_UNUSED,
        ReasonCode.NAME_UNUSED,
        ReasonCode.DEFINITION_WEAKENS,
        ReasonCode.PART_UNANSWERED,
        ReasonCode.OUTPUT_MISSING,
        ReasonCode.OUTPUT_UNLINKED,
        ReasonCode.AGGREGATE_MISSING,
        ReasonCode.AGGREGATE_SWAPPED,
        ReasonCode.AGGREGATE_UNASKED,
        ReasonCode.GROUPING_MISSING,
        ReasonCode.GROUPING_UNASKED,
        ReasonCode.ORDER_MISSING,
        ReasonCode.ORDER_FLIPPED,
        ReasonCode.ORDER_CHANGED,
        ReasonCode.ORDER_UNLINKED,
        ReasonCode.LIMIT_MISSING,
        ReasonCode.LIMIT_WRONG,
        ReasonCode.LIMIT_UNASKED,
        ReasonCode.EXTREME_DROPPED,
        ReasonCode.EXTREME_SCOPE,
        ReasonCode.RATIO_MISSING,
        ReasonCode.DISTINCT_MISSING,
        ReasonCode.TABLE_UNUSED,
        ReasonCode.SET_OPERATION_MISSING,
        ReasonCode.WORDS_UNCOVERED,
        ReasonCode.STATE_UNTESTED,
        ReasonCode.PERIOD_UNGROUPED,
        ReasonCode.KEPT_ROWS_DROPPED,
        ReasonCode.MEAN_OF_MEANS,
        ReasonCode.BOUND_UNASKED,
        ReasonCode.BOUND_AT_WRONG_LEVEL,
        ReasonCode.DIFFERENT_COUNTED_AS_ROWS,
    }
)
"""Faults and hints that rest on which words of the question ask for something."""


def doubted(findings: Mapping[ReasonCode, Finding], case: Case) -> Mapping[ReasonCode, Finding]:
    """The findings on a case, of a letter with less strength where they are read from its words.

    Which sentence of a letter asks, and which only tells, is often unclear; what the SQL does by itself is not.
    """
    if not is_letter(case.query.question):
        return findings
    return {
        code: replace(found, strength=found.strength * DOUBTED) if code in READ_FROM_WORDS else found
        for code, found in findings.items()
    }
