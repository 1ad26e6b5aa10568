"""Whether projection, aggregation and grouping match: the three binary signals of Stage 3 (STEF, section 3.3).

A dimension matches unless a signal finds a fault in it, so that the record says what the verdict heeds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from scoring.reasons import ReasonCode
from scoring.signals import SIGNALS
from scoring.signals.mistakes.unmet.groups import second_group_left_out
from scoring.verdict import Case, Dimension, Reply, Verdict

MISMATCHES: Mapping[str, frozenset[ReasonCode]] = MappingProxyType(
    {
        "projection": frozenset(
            {
                ReasonCode.OUTPUT_MISSING,
                ReasonCode.OUTPUT_UNDEFINED,
                ReasonCode.OUTPUT_CONSTANT,
                ReasonCode.KEY_FOR_NAME,
                ReasonCode.COUNT_FOR_LIST,
                ReasonCode.LIST_FOR_COUNT,
                ReasonCode.PART_UNANSWERED,
            }
        ),
        "aggregation": frozenset(
            {
                ReasonCode.AGGREGATE_MISSING,
                ReasonCode.AGGREGATE_SWAPPED,
                ReasonCode.COUNT_REPEATS,
                ReasonCode.AGGREGATE_REPEATS,
                ReasonCode.DISTINCT_MISSING,
            }
        ),
        "grouping": frozenset(
            {
                ReasonCode.GROUPING_MISSING,
                ReasonCode.TOTAL_PER_GROUP,
                ReasonCode.COLUMN_UNGROUPED,
                ReasonCode.COLUMN_OUTSIDE_GROUP_BY,
                ReasonCode.GROUPS_FOR_ONE_NUMBER,
                ReasonCode.GROUP_OF_OTHER_DIMENSION,
                ReasonCode.GROUP_LEFT_OUT,
                ReasonCode.PERIOD_UNGROUPED,
                ReasonCode.PERIOD_OF_GROUPS_WRONG,
            }
        ),
    }
)
"""The faults of each dimension. A hint, such as a column that is called otherwise, is no error, and a form never is."""
_UNASKED: Mapping[str, ReasonCode] = MappingProxyType(
    {"aggregation": ReasonCode.AGGREGATE_UNASKED, "grouping": ReasonCode.GROUPING_UNASKED}
)
"""The hints at what nothing asks for."""


def with_matches(case: Case) -> Case:
    """The case with the three signals as they count; what was read as missing or extra and moves nothing is left out.

    A further column stays among the extra ones.
    """
    if case.unparseable is not None:
        return case
    return replace(
        case,
        projection=_dimension(case, "projection", case.projection),
        aggregation=_dimension(case, "aggregation", case.aggregation),
        grouping=_dimension(case, "grouping", case.grouping),
    )


def _dimension(case: Case, name: str, read: Dimension) -> Dimension:
    if any(SIGNALS[code](case) is not None for code in MISMATCHES[name]):
        lacking = second_group_left_out(case) if name == "grouping" and not read.missing else None
        return replace(read, match=False, missing=read.missing if lacking is None else (lacking,))
    hint = _UNASKED.get(name)
    return Dimension(extra=read.extra) if hint is None or SIGNALS[hint](case) is not None else Dimension()


def not_contradicted(case: Case, reply: Reply) -> Reply:
    """The local judge's reply: `Correct` says that all three match (STEF, Table 2), unless a reviewer said so.

    >>> said = Reply(verdict=Verdict.CORRECT, confidence=0.9, p_correct=0.9, reasons=(), judge="local/5")
    >>> asked = "What is the total weight?"
    >>> not_contradicted(with_matches(case(asked, "SELECT AVG(weight) FROM parcels")), said).verdict.value
    'Likely Correct'
    """
    matches = case.projection.match and case.aggregation.match and case.grouping.match
    reviewed = any(each.code is ReasonCode.MATCHES_REVIEWED for each in reply.reasons)
    if matches or reviewed or reply.verdict is not Verdict.CORRECT:
        return reply
    return replace(reply, verdict=Verdict.LIKELY_CORRECT)
