"""The ceiling: the best verdict that the evidence allows a model, whatever the judged text told it to say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from scoring.evaluation import align, with_conditions
from scoring.immutable import immutable
from scoring.judging.proposals import Proposal, accepted
from scoring.reasons import ReasonCode
from scoring.verdict import Case, FilterAlignment, Reason, Reply, Verdict

SURE = 0.85
"""Confidence, in [0, 1], from which the local verdict limits a model's."""
_SCALE = tuple(Verdict)
RIGHT = frozenset({Verdict.CORRECT, Verdict.LIKELY_CORRECT})
"""The verdicts that say the answer is right."""


def ceiling(filters: FilterAlignment, local: Reply) -> Verdict:
    """The best verdict that is allowed.

    Potentially Incorrect where a required filter is missing or mismatched; else at most one step better than the
    verdict of a local judge that is sure.

    >>> sure = Reply(verdict=Verdict.INCORRECT, confidence=0.97, p_correct=0.03, reasons=(), judge="local/1")
    >>> ceiling(FilterAlignment(), sure).value
    'Potentially Incorrect'
    """
    best = 2 if filters.missing or filters.mismatched else 0
    if local.confidence >= SURE:
        best = max(best, _SCALE.index(local.verdict) - 1)
    return _SCALE[best]


def held(reply: Reply, best: Verdict, local: Reply) -> Reply:
    """The reply with its verdict lowered to `best` where it is better than that.

    `p_correct` drops to the local judge's if that is lower, and is moved to the lowered verdict's side of one half.
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


@immutable()
class Evidence:
    """One reading of an answer, and the local judge's reply to it."""

    case: Case
    local: Reply


def evidence(case: Case, judge: Callable[[Case], Reply]) -> tuple[Evidence, ...]:
    """The answer as it was read; and, where its agent enriched the question, as the user's question alone reads.

    The agent that is judged writes the enriched question, so its definitions never lift the ceiling.
    """
    read = Evidence(case=case, local=judge(case))
    if case.query.enriched_question is None or case.unparseable is not None:
        return (read,)
    query = replace(case.query, enriched_question=None)
    alone = align(query, case.question, None, case.sql, case.rules, case.follow_up)
    return read, Evidence(case=alone, local=judge(alone))


def hold(readings: Sequence[Evidence], reply: Reply, proposals: Iterable[Proposal] = ()) -> Reply:
    """The model's reply with its proposals checked and its verdict under the ceiling of every reading.

    The ceiling holds for each case as it was read and for the case with the accepted proposals, so a proposal can
    lower it but never raise it.
    """
    proposals = tuple(proposals)
    limits: list[Verdict] = []
    for each in readings:
        limits.append(ceiling(each.case.filters, each.local))
        proposed = accepted(each.case, proposals)
        if proposed:
            limits.append(ceiling(with_conditions(each.case, proposed).filters, each.local))
    doubtful = min((each.local for each in readings), key=lambda local: local.p_correct)
    reply = replace(reply, proposed=accepted(readings[0].case, proposals))
    return held(reply, max(limits, key=_SCALE.index), doubtful)
