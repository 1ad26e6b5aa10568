"""What the tenant's memory adds to an evaluation: another `p_correct` and reasons. The score stays as it was alone."""

from __future__ import annotations

from dataclasses import replace

from consumers.evaluation.event_evaluation import Evaluation, Scored
from scoring.judging.local import Thresholds
from scoring.memory.context import MemoryContext
from scoring.memory.decision import weigh_context
from scoring.record import reason_records


def is_weighed(evaluation: Evaluation) -> bool:
    """Whether memory may move its `p_correct`: the local judge's verdicts only, as nothing is measured for models."""
    return isinstance(evaluation.result, Scored) and evaluation.result.reply.judge.startswith("local/")


def with_memory(evaluation: Evaluation, context: MemoryContext, thresholds: Thresholds) -> Evaluation:
    """The evaluation with `p_correct`, `p_alone` and reasons as memory gives them.

    Score, tier, verdict and confidence stay those of the answer alone: means, tiers and alerts of agents are made of
    them, and agreement would lower the best agent, which is often the one that disagrees.
    """
    if not isinstance(evaluation.result, Scored):
        return evaluation
    alone = evaluation.result.reply
    reply = weigh_context(alone, context, thresholds)
    record = {**evaluation.record, "p_correct": reply.p_correct, "p_alone": alone.p_correct}
    if reply is not alone:
        record["reasons"] = reason_records(reply.reasons)
    return replace(evaluation, record=record, context=context)
