"""What a model's verdict counts for: under a ceiling where something is proved or orders it, else with the record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from scoring.evaluation import align, with_conditions
from scoring.immutable import immutable
from scoring.judging.combination import RIGHT, UNCALIBRATED, ModelCalibration, combined
from scoring.judging.excuses import excused, excusing_rules, leans_on_rules, may_be_excused, with_excuse
from scoring.judging.orders import may_give_orders
from scoring.judging.proposals import Proposal, accepted
from scoring.reason_kinds import PROOFS
from scoring.reasons import ReasonCode
from scoring.verdict import Case, FilterAlignment, Reason, Reply, Verdict

SURE = 0.85
"""Confidence, in [0, 1], from which the local verdict limits a model's."""
_SCALE = tuple(Verdict)


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
    if_excused: Reply | None = None
    """The local judge's reply without what the SQL lacks, where a learned rule may excuse that."""

    def as_excused(self) -> Evidence:
        """The reading as if nothing were missing."""
        return self if self.if_excused is None else Evidence(case=excused(self.case), local=self.if_excused)


def evidence(case: Case, judge: Callable[[Case], Reply]) -> tuple[Evidence, ...]:
    """The answer as it was read; and, where its agent enriched the question, as the user's question alone reads.

    The agent that is judged writes the enriched question, so its definitions never lift the ceiling.
    """
    read = _read(case, judge)
    if case.query.enriched_question is None or case.unparseable is not None:
        return (read,)
    query = replace(case.query, enriched_question=None)
    alone = align(query, case.question, None, case.sql, case.rules, case.follow_up)
    return read, _read(alone, judge)


def _read(case: Case, judge: Callable[[Case], Reply]) -> Evidence:
    if_excused = judge(excused(case)) if may_be_excused(case) else None
    return Evidence(case=case, local=judge(case), if_excused=if_excused)


def is_limited(readings: Sequence[Evidence]) -> bool:
    """Whether the ceiling limits a model: a fault is proved from the SQL, or a text may order a verdict."""
    proved = any(reason.code in PROOFS for each in readings for reason in each.local.reasons)
    return proved or may_give_orders(readings[0].case.query)


def hold(
    readings: Sequence[Evidence],
    reply: Reply,
    proposals: Iterable[Proposal] = (),
    calibration: ModelCalibration = UNCALIBRATED,
) -> Reply:
    """The model's reply with its proposals checked, and with what the readings say of it.

    Where a fault is proved or a text may order a verdict, the verdict stays under the ceiling of every reading, as it
    was read and with the accepted proposals. Elsewhere the most doubtful reading moves it by a bounded amount. A
    learned rule that the model applied may excuse the missing condition of which it speaks, where the tenant allows
    it; where it may not, the ceiling holds.
    """
    cases = [each.case for each in readings]
    numbers = excusing_rules(cases, reply)
    counted = [each.as_excused() for each in readings] if numbers else readings
    leans = not numbers and leans_on_rules(cases, reply)
    result = _counted(readings, counted, reply, tuple(proposals), calibration, limited=leans)
    return with_excuse(result, cases, numbers) if numbers and result.verdict in RIGHT else result


def _counted(
    readings: Sequence[Evidence],
    counted: Sequence[Evidence],
    reply: Reply,
    proposals: Sequence[Proposal],
    calibration: ModelCalibration,
    *,
    limited: bool,
) -> Reply:
    """The reply as the `counted` readings allow; proposals are checked against the readings as they are."""
    found = [(each, accepted(each.case, proposals)) for each in readings]
    proposed = [(each, with_conditions(each.case, conditions).filters) for each, conditions in found if conditions]
    doubtful = min((each.local for each in counted), key=lambda local: local.p_correct)
    reply = replace(reply, proposed=found[0][1])
    if limited or is_limited(counted):
        limits = [ceiling(each.case.filters, each.local) for each in counted]
        limits += [ceiling(filters, each.local) for each, filters in proposed]
        return held(reply, max(limits, key=_SCALE.index), doubtful)
    # a model that calls an answer right although it lacks a condition that the model itself read contradicts itself
    unmet = any(len(filters.missing) > len(each.case.filters.missing) for each, filters in proposed)
    return combined(reply, doubtful.p_correct, calibration, unmet=unmet)
