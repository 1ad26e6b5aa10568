"""What a tenant's calibration does to a verdict, and what it leaves alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring import EVALUATOR_VERSION
from scoring.calibration import TenantCalibration
from scoring.evaluation import conclude, examine
from scoring.query import Query, RunResult
from scoring.rules import Rules, UnparseablePolicy
from scoring.verdict import Case, Verdict
from service.judges.weights import local_judge

JUDGE = local_judge()
QUESTION = "How many members in Lisbon joined in 2025?"
GOOD = "SELECT COUNT(*) FROM members WHERE city = 'Lisbon' AND YEAR(joined_on) = 2025"
BAD = "SELECT COUNT(*) FROM members WHERE city = 'Lisbon' AND joined_on >= '2025-01-01'"
VOID = "SELECT COUNT(*) FROM members WHERE (city = 'Lisbon' AND YEAR(joined_on) = 2025) OR 1 = 1"


def line(intercept: float = 0.0, slope: float = 1.0, **changed: str) -> TenantCalibration:
    named = {"judge": JUDGE.name, "evaluator": EVALUATOR_VERSION} | changed
    return TenantCalibration(version=2, intercept=intercept, slope=slope, **named)


def judged(sql: str, calibration: TenantCalibration | None, result: RunResult | None = None):
    rules = Rules(calibration=calibration, unparseable=UnparseablePolicy.INCORRECT)
    case = examine(Query(question=QUESTION, sql=sql, result=result), rules)
    assert isinstance(case, Case)
    return conclude(case, JUDGE.judge(case))


def test_verdict_confidence_score_and_name_follow_the_calibration():
    alone, shifted = judged(BAD, None), judged(BAD, line(intercept=2.0))
    assert (alone.reply.judge, shifted.reply.judge) == (JUDGE.name, f"{JUDGE.name}+c2")
    assert shifted.reply.p_judge == alone.reply.p_correct < shifted.reply.p_correct
    assert alone.reply.verdict is Verdict.POTENTIALLY_INCORRECT
    assert shifted.reply.verdict is Verdict.CORRECT
    assert shifted.reply.confidence == shifted.reply.p_correct
    assert shifted.composite.score > alone.composite.score
    assert replace(shifted.reply, judge="", p_judge=None).reasons == alone.reply.reasons


@pytest.mark.parametrize("other", [{"judge": "local/3"}, {"evaluator": "0"}])
def test_a_calibration_of_another_judge_or_evaluator_does_nothing(other):
    assert judged(GOOD, line(intercept=-2.0, **other)).reply == judged(GOOD, None).reply


@pytest.mark.parametrize(
    ("sql", "result"), [(VOID, None), ("SELEC 1", None), (GOOD, RunResult(error="no such column: city"))]
)
def test_what_is_proved_or_did_not_run_keeps_its_probability(sql, result):
    alone, shifted = judged(sql, None, result), judged(sql, line(intercept=2.0, slope=0.5), result)
    assert shifted.reply.p_correct == alone.reply.p_correct < 0.3
    assert (shifted.reply.verdict, shifted.composite) == (alone.reply.verdict, alone.composite)


@pytest.mark.parametrize("bounds", [{"slope": 0.4}, {"slope": -1.0}, {"intercept": 2.1}, {"slope": float("nan")}])
def test_no_calibration_exists_beyond_the_bounds(bounds):
    with pytest.raises(ValueError, match="slope from"):
        line(**bounds)


@pytest.mark.parametrize("slope", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("intercept", [-2.0, 0.0, 2.0])
def test_the_order_of_answers_stays(slope, intercept):
    shown = [line(intercept, slope).of(p / 1000) for p in range(1001)]
    assert shown == sorted(shown)
    assert 0.02 <= shown[0] < shown[-1] <= 0.98
