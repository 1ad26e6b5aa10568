"""The local judge: weights are read strictly, evidence moves the verdict its own way, reasons are the strongest."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from scoring.evaluation import conclude, examine
from scoring.judging.local import InvalidWeightsError, LocalJudge, load_weights
from scoring.query import Query, Unscored, UnscoredReason
from scoring.reasons import IN_FAVOUR, PRIORS, WITHOUT_SIGNAL, ReasonCode
from scoring.rules import Rules, UnparseablePolicy
from scoring.signals import SIGNALS
from scoring.signals.finding import Finding
from scoring.verdict import Case, FilterStatus, Verdict
from service.judges.weights import local_judge, packaged_weights


@pytest.fixture
def document() -> dict[str, Any]:
    return copy.deepcopy(packaged_weights())


def test_every_code_has_one_signal_but_those_no_signal_gives() -> None:
    assert set(SIGNALS) == set(ReasonCode) - WITHOUT_SIGNAL
    assert len(set(SIGNALS.values())) == len(SIGNALS)


def test_packaged_weights_agree_with_what_their_codes_say() -> None:
    weights = load_weights(packaged_weights()).weights
    assert all(weight >= 0 if code in IN_FAVOUR else weight <= 0 for code, weight in weights.items())


def test_a_weight_for_no_signal_is_refused_by_name(document: dict[str, Any]) -> None:
    document["weights"]["NO_SUCH_CODE"] = -1.0
    with pytest.raises(InvalidWeightsError, match="NO_SUCH_CODE"):
        load_weights(document)


def test_a_signal_without_a_weight_is_refused_by_name(document: dict[str, Any]) -> None:
    del document["weights"]["FILTER_MISSING"]
    with pytest.raises(InvalidWeightsError, match="FILTER_MISSING"):
        load_weights(document)


@pytest.mark.parametrize("broken", ["high", None, True, float("nan"), float("inf"), []])
def test_a_weight_that_is_no_finite_number_is_refused(document: dict[str, Any], broken: object) -> None:
    document["weights"]["FILTER_MISSING"] = broken
    with pytest.raises(InvalidWeightsError, match="finite number"):
        load_weights(document)


def test_each_heeded_signal_lowers_or_raises_the_probability_its_own_way() -> None:
    judge = local_judge()
    clean = judge.weigh({}).p_correct
    for code in judge.heeded:
        moved = judge.weigh({code: Finding(1.0, "x")})
        assert (moved.p_correct > clean) is (code in IN_FAVOUR)
        assert [each.code for each in moved.reasons] == [code]


def test_confidence_is_the_probability_of_the_side_taken() -> None:
    judge = local_judge()
    for findings in ({}, {ReasonCode.FILTER_MISMATCHED: Finding(1.0, "x")}):
        reply = judge.weigh(findings)
        right = reply.verdict in (Verdict.CORRECT, Verdict.LIKELY_CORRECT)
        assert reply.confidence == (reply.p_correct if right else round(1 - reply.p_correct, 4))


def test_reasons_come_strongest_first() -> None:
    findings = {code: Finding(1.0, code.value) for code in local_judge().heeded}
    weights = [abs(each.weight) for each in local_judge().weigh(findings).reasons]
    assert weights == sorted(weights, reverse=True)


def test_hints_about_size_alone_come_last() -> None:
    findings = {code: Finding(1.0, "x") for code in (*PRIORS, ReasonCode.TIES_CUT)}
    assert local_judge().weigh(findings).reasons[0].code is ReasonCode.TIES_CUT


def test_equally_strong_reasons_keep_the_order_of_the_signals() -> None:
    same_weight = [code for code in SIGNALS if code in PRIORS]
    findings = {code: Finding(1.0, "x") for code in same_weight}
    assert [each.code for each in local_judge().weigh(findings).reasons] == same_weight


def test_p_correct_never_crosses_the_label_noise_floor(document: dict[str, Any]) -> None:
    document["label_noise"] = 0.1
    judge = LocalJudge.of(load_weights(document))
    damned = judge.weigh({code: Finding(1.0, "x") for code in judge.heeded if code not in IN_FAVOUR})
    assert damned.p_correct == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize("noise", [-0.1, 0.5, "some", None])
def test_a_label_noise_of_a_half_or_more_or_no_number_is_refused(document: dict[str, Any], noise: object) -> None:
    document["label_noise"] = noise
    with pytest.raises(InvalidWeightsError):
        load_weights(document)


def test_weights_without_label_noise_have_none(document: dict[str, Any]) -> None:
    del document["label_noise"]
    assert load_weights(document).label_noise == 0


def test_unparseable_sql_is_incorrect_only_where_the_tenant_says_so() -> None:
    query = Query(question="How many parcels?", sql="SELECT COUNT(* FROM parcels WHERE")
    assert examine(query, Rules()) == Unscored(UnscoredReason.UNPARSEABLE_SQL, unscored_detail(query))
    case = examine(query, Rules(unparseable=UnparseablePolicy.INCORRECT))
    assert isinstance(case, Case)
    score = conclude(case, local_judge().judge(case))
    assert (score.reply.verdict, score.reply.p_correct, score.composite.score) == (Verdict.INCORRECT, 0.0, 0.0)
    assert score.case.filters.status is FilterStatus.NOT_APPLIED
    assert [each.code for each in score.reply.reasons] == [ReasonCode.SQL_UNPARSEABLE]


def unscored_detail(query: Query) -> str:
    result = examine(query, Rules())
    assert isinstance(result, Unscored)
    assert result.detail
    return result.detail


def test_a_signal_of_weight_zero_is_not_read(document: dict[str, Any]) -> None:
    document["weights"]["FILTER_MISSING"] = 0.0
    assert ReasonCode.FILTER_MISSING not in LocalJudge.of(load_weights(document)).heeded
