"""An evaluation in the words of OpenTelemetry's GenAI conventions, without a word of its question or SQL.

The conventions are in development: these are the names of semantic conventions 1.38.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from consumers.evaluation.evaluation import Evaluation, Scored
from scoring.query import Unscored

RESULT = "gen_ai.evaluation.result"
"""Name of the event."""
Attributes: TypeAlias = Mapping[str, str | int | float]
_MOST_CODES = 5
"""Reasons that an explanation names."""


def result_attributes(evaluation: Evaluation) -> Attributes:
    """What the event of an evaluation says: who answered, the score with its tier, and why in codes of closed lists."""
    event = evaluation.event
    said: dict[str, str | int | float | None] = {
        "gen_ai.evaluation.name": "sqlassay.score",
        "gen_ai.agent.name": event.agent,
        "gen_ai.agent.version": event.agent_version,
        "sqlassay.tenant": event.tenant,
        "sqlassay.event.id": event.event_id,
        "sqlassay.evaluation.id": str(evaluation.id),
        "sqlassay.trigger": evaluation.trigger.value,
        "sqlassay.rules.version": evaluation.rules_version,
    }
    match evaluation.result:
        case Unscored(reason=reason):
            said["error.type"] = reason.value
        case Scored() as score:
            said |= _scored(score)
    return {name: value for name, value in said.items() if value is not None}


def _scored(score: Scored) -> Mapping[str, str | int | float | None]:
    return {
        "gen_ai.evaluation.score.value": score.composite.score,
        "gen_ai.evaluation.score.label": score.tier.value,
        "gen_ai.evaluation.explanation": explanation(score),
        "sqlassay.p_correct": score.reply.p_correct,
        "sqlassay.verdict": score.reply.verdict.value,
        "sqlassay.judge": score.reply.judge,
        "gen_ai.request.model": score.reply.model,
    }


def explanation(score: Scored) -> str:
    """The verdict, how the filters fared, and the codes of the reasons that moved the judge most.

    Never a reason's detail: it quotes the question and the SQL.
    """
    codes = dict.fromkeys(reason.code.value for reason in score.reply.reasons)
    parts = [score.reply.verdict.value, score.filter_status.value, ", ".join(list(codes)[:_MOST_CODES])]
    return "; ".join(part for part in parts if part)
