"""What no model may say: the best verdict that the evidence allows, whatever the text it judged told it to say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from scoring.evaluation import with_conditions
from scoring.judging.proposals import Proposal, accepted
from scoring.reasons import ReasonCode
from scoring.verdict import Case, FilterAlignment, Reason, Reply, Verdict

SURE = 0.85
"""Confidence, in [0, 1], from which the local judge binds a model."""
_SCALE = tuple(Verdict)
RIGHT = frozenset({Verdict.CORRECT, Verdict.LIKELY_CORRECT})
"""The verdicts that say the answer is right."""


def ceiling(filters: FilterAlignment, local: Reply) -> Verdict:
    """The best verdict allowed: Potentially Incorrect where a required filter is missing or mismatched, and at most
    one better than a sure local judge's.

    >>> sure = Reply(verdict=Verdict.INCORRECT, confidence=0.97, p_correct=0.03, reasons=(), judge="local/1")
    >>> ceiling(FilterAlignment(), sure).value
    'Potentially Incorrect'
    """
    best = 2 if filters.missing or filters.mismatched else 0
    if local.confidence >= SURE:
        best = max(best, _SCALE.index(local.verdict) - 1)
    return _SCALE[best]


def held(reply: Reply, best: Verdict, local: Reply) -> Reply:
    """The reply, lowered to `best` where it says better, with the probability that then remains.

    A lowered verdict is no surer than the local judge: where its side is right, the two contradict each other.
    """
    if _SCALE.index(reply.verdict) >= _SCALE.index(best):
        return reply
    detail = f"the model says {reply.verdict.value}; the evidence allows {best.value} at most"
    likely = min(reply.p_correct, local.p_correct)
    likely = max(likely, 0.5) if best in RIGHT else min(likely, 0.5)
    return replace(
        reply,
        verdict=best,
        p_correct=likely,
        confidence=likely if best in RIGHT else round(1 - likely, 4),
        reasons=(Reason(code=ReasonCode.JUDGE_CONTRADICTS_EVIDENCE, detail=detail), *reply.reasons),
    )


def hold(case: Case, local: Reply, reply: Reply, proposals: Iterable[Proposal] = ()) -> Reply:
    """A model's reply as it may count: its proposals checked, its verdict under the ceiling.

    The ceiling is that of the case as it was read, and again that of the case with the accepted proposals: what a
    model proposes can lower it and never lift it.
    """
    proposed = accepted(case, proposals)
    reply = replace(reply, proposed=proposed)
    if proposed:
        reply = held(reply, ceiling(with_conditions(case, proposed).filters, local), local)
    return held(reply, ceiling(case.filters, local), local)
