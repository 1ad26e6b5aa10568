"""A tenant's decision rules move the evidence by what they say, within bounds, and only where nothing is proved."""

from __future__ import annotations

import pytest

from scoring import EVALUATOR_VERSION
from scoring.calibration import TenantCalibration, log_odds
from scoring.decision_rules import MOST_TOGETHER, InvalidDecisionRule, read_decision_rules
from scoring.evaluation import examine
from scoring.judging.local import MOST_REASONS
from scoring.query import Query, RunResult
from scoring.reason_kinds import FORGERIES, FROM_RULES
from scoring.reasons import ReasonCode
from scoring.rules import Rules, UnparseablePolicy
from scoring.verdict import Case, Reply
from service.judges.weights import local_judge

JUDGE = local_judge()
QUESTION = "Which packers work in 'Faro'?"
KEYS = "SELECT id FROM packers WHERE city = 'Faro'"
EMPTY = RunResult(executed=True, rows=0)


def judged(*rules: str, sql: str = KEYS, result: RunResult | None = None, intercept: float | None = None) -> Reply:
    line = None
    if intercept is not None:
        line = TenantCalibration(
            version=1, judge=JUDGE.name, evaluator=EVALUATOR_VERSION, intercept=intercept, slope=1.0
        )
    tenant = Rules(decision_rules=read_decision_rules(rules), unparseable=UnparseablePolicy.INCORRECT, calibration=line)
    case = examine(Query(question=QUESTION, sql=sql, result=result), tenant)
    assert isinstance(case, Case)
    return JUDGE.judge(case)


def own(reply: Reply) -> list[tuple[ReasonCode, float]]:
    return [(each.code, each.weight) for each in reply.reasons if each.code in FROM_RULES]


def test_a_rule_that_holds_moves_the_log_odds_by_its_shift_and_says_so():
    alone, ruled = judged(), judged("KEY_UNASKED and not FILTER_EXTRA: +0.8")
    assert ReasonCode.KEY_UNASKED in {each.code for each in alone.reasons}
    assert log_odds(ruled.p_correct) - log_odds(alone.p_correct) == pytest.approx(0.8, abs=0.002)
    assert own(ruled) == [(ReasonCode.DECISION_RULE_FOR, 0.8)]
    assert [each for each in ruled.reasons if each.code not in FROM_RULES] == list(alone.reasons)
    assert "KEY_UNASKED and not FILTER_EXTRA: +0.8" in next(
        each.detail for each in ruled.reasons if each.code in FROM_RULES
    )
    lowered = judged("KEY_UNASKED: -0.8")
    assert lowered.p_correct < alone.p_correct
    assert own(lowered) == [(ReasonCode.DECISION_RULE_AGAINST, -0.8)]


def test_a_rule_that_does_not_hold_changes_nothing():
    rules = ("KEY_UNASKED and FILTER_EXTRA: +0.8", "KEY_UNASKED and not FILTERS_MATCHED: 1", "RAN_EMPTY: -1")
    assert judged(*rules) == judged()


def test_a_rule_may_name_signals_without_a_weight_and_what_the_database_says():
    assert ReasonCode.FILTER_EXTRA not in JUDGE.heeded
    assert own(judged("FILTER_EXTRA: +0.3", sql=f"{KEYS} AND wage > 30")) == [(ReasonCode.DECISION_RULE_FOR, 0.3)]
    assert own(judged("FILTER_EXTRA: +0.3")) == []
    assert own(judged("RAN_EMPTY: -0.3", result=EMPTY)) == [(ReasonCode.DECISION_RULE_AGAINST, -0.3)]


def test_all_rules_together_move_an_answer_within_a_bound():
    many = ("KEY_UNASKED: +1.5", "FILTERS_MATCHED: +1.5", "KEY_UNASKED and FILTERS_MATCHED: +1")
    moves = [weight for _, weight in own(judged(*many))]
    assert sum(moves) == pytest.approx(MOST_TOGETHER, abs=0.01)
    assert len(moves) == len(many)


@pytest.mark.parametrize(
    ("sql", "result"),
    [
        ("SELECT id FROM packers WHERE city = 'Faro' OR 1 = 1", None),
        ("SELECT id FROM packers WHERE (city", None),
        (KEYS, RunResult(executed=False, error="no such table: packers")),
    ],
)
@pytest.mark.parametrize("shift", ["+1.5", "-1.5"])
def test_what_is_proved_has_no_rules(sql: str, result: RunResult | None, shift: str):
    rules = [f"KEY_UNASKED: {shift}", f"FILTERS_MATCHED: {shift}", f"WORDS_UNCOVERED: {shift}"]
    assert judged(*rules, sql=sql, result=result) == judged(sql=sql, result=result)


def test_the_tenants_calibration_comes_after_its_rules():
    ruled, both = judged("KEY_UNASKED: +0.8"), judged("KEY_UNASKED: +0.8", intercept=0.5)
    assert both.p_judge == ruled.p_correct
    assert log_odds(both.p_correct) == pytest.approx(log_odds(ruled.p_correct) + 0.5, abs=0.002)


def test_no_stronger_reason_pushes_a_rule_out_of_the_list():
    many = (
        "SELECT DISTINCT id, MAX(wage), * FROM packers p LEFT JOIN shifts s ON p.a = s.b WHERE city <> 'faro '"
        " AND age > 30 GROUP BY wage ORDER BY x LIMIT 3"
    )
    assert len(judged(sql=many).reasons) == MOST_REASONS
    ruled = judged("not KEY_UNASKED and WORDS_UNCOVERED: -0.05", "OUTPUT_STAR: +0.05", sql=many)
    assert len(ruled.reasons) == MOST_REASONS
    assert own(ruled)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("KEY_UNASKED", "write conditions and a shift"),
        ("KEY_UNASKED: nan", "write conditions and a shift"),
        ("KEY_UNASKED: 1e9", "write conditions and a shift"),
        ("KEY_UNASKED: 0", "its shift is 0"),
        ("KEY_UNASKED: +2", "its shift is +2"),
        ("KEY_UNASKD: +1", "'KEY_UNASKD' is no reason code"),
        ("MATCHES_REVIEWED: +1", "'MATCHES_REVIEWED' is no reason code"),
        ("SQL_FAILED: +1", "'SQL_FAILED' is no reason code"),
        ("DECISION_RULE_FOR: +1", "'DECISION_RULE_FOR' is no reason code"),
        ("not KEY_UNASKED: +1", "all its conditions are negated"),
        ("KEY_UNASKED and not key_unasked: +1", "names KEY_UNASKED twice"),
        ("KEY_UNASKED and : +1", "is no condition"),
        ("KEY_UNASKED or FILTER_EXTRA: +1", "is no condition"),
        ("FILTER_EXTRA and KEY_UNASKED and OUTPUT_STAR and TIES_CUT: 1", "it has 4 conditions"),
        *((f"{code}: +1", "is no reason code") for code in FORGERIES),
    ],
)
def test_what_is_no_rule_is_refused_by_name(text: str, said: str):
    with pytest.raises(InvalidDecisionRule) as error:
        read_decision_rules([text])
    assert said in str(error.value)


def test_two_shifts_for_the_same_conditions_are_refused():
    with pytest.raises(InvalidDecisionRule, match="two shifts"):
        read_decision_rules(["KEY_UNASKED and OUTPUT_STAR: 1", "output_star AND key_unasked: -1"])
