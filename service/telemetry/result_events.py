"""Evaluations as events of OpenTelemetry's GenAI conventions.

The conventions are in development: the names are those of semantic conventions 1.38.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, cast

from consumers.evaluation.event_evaluation import Evaluation, Scored
from scoring.query import Unscored

RESULT = "gen_ai.evaluation.result"
"""Name of the event."""
Attributes: TypeAlias = Mapping[str, str | int | float]
_MOST_REASONS = 5
"""Most reasons that an explanation names."""


def result_attributes(evaluation: Evaluation, *, details: bool) -> Attributes:
    """The attributes of an evaluation's event: the agent, the score with its tier, and the reasons.

    With `details`, which may quote the question and the SQL, a reason is more than its code; but not where the
    tenant's texts are withheld.
    """
    event = evaluation.event
    attributes: dict[str, str | int | float | None] = {
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
            attributes["error.type"] = reason.value
        case Scored() as score:
            attributes |= _scored(score, details=details and not evaluation.withheld)
            attributes["sqlassay.p_correct"] = cast("float", evaluation.record["p_correct"])
    return {name: value for name, value in attributes.items() if value is not None}


def _scored(score: Scored, *, details: bool) -> Mapping[str, str | int | float | None]:
    return {
        "gen_ai.evaluation.score.value": score.composite.score,
        "gen_ai.evaluation.score.label": score.tier.value,
        "gen_ai.evaluation.explanation": explanation(score, details=details),
        "sqlassay.score.ratio": score.composite.score / 100,
        "sqlassay.p_alone": score.reply.p_correct,
        "sqlassay.verdict": score.reply.verdict.value,
        "sqlassay.judge": score.reply.judge,
        "gen_ai.request.model": score.reply.model or None,
    }


def explanation(score: Scored, *, details: bool) -> str:
    """The verdict, the filter status, and the reasons that moved the judge most: their codes, or with `details` too."""
    reasons = {each.code.value: each for each in reversed(score.reply.reasons)}
    texts = [
        f"{code} ({each.detail})" if details and each.detail else code
        for code, each in list(reversed(reasons.items()))[:_MOST_REASONS]
    ]
    parts = [score.reply.verdict.value, score.filter_status.value, ", ".join(texts)]
    return "; ".join(part for part in parts if part)
