"""Which answers are surely of no use, whatever the judge thinks: what can be known of an agent without a label."""

from __future__ import annotations

from consumers.evaluation.event_evaluation import Scored
from scoring.query import Unscored, UnscoredReason
from scoring.reason_kinds import PROOFS
from scoring.reasons import ReasonCode

_OF_THE_AGENT = frozenset(
    {
        UnscoredReason.EMPTY_SQL,
        UnscoredReason.REFUSED_ANSWER,
        UnscoredReason.UNPARSEABLE_SQL,
        UnscoredReason.MULTIPLE_STATEMENTS,
        UnscoredReason.NOT_A_SELECT,
        UnscoredReason.SQL_TOO_LONG,
        UnscoredReason.SQL_TOO_DEEP,
        UnscoredReason.SQL_TOO_LARGE,
        UnscoredReason.TOO_COSTLY,
    }
)
"""Why an answer has no score because of what the agent wrote. Of other answers without one nothing is known."""
_CERTAIN = PROOFS | {ReasonCode.SQL_FAILED, ReasonCode.SQL_UNPARSEABLE}
"""Reasons that need no judge: the database refused the SQL, it does not parse, or a fault is proved from it."""


def is_unusable(result: Scored | Unscored) -> bool | None:
    """Whether the answer is surely of no use; `None` where nothing is known of what the agent wrote."""
    if isinstance(result, Unscored):
        return True if result.reason in _OF_THE_AGENT else None
    return any(reason.code in _CERTAIN for reason in result.reply.reasons)
