"""The local judge: weights are read strictly, evidence moves the verdict its own way, reasons are the strongest."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from scoring.evaluation import conclude, examine
from scoring.judging.local import InvalidWeightsError, LocalJudge, load_weights
from scoring.judging.probability import ALONE
from scoring.query import Query, Unscored, UnscoredReason
from scoring.reason_kinds import FORGERIES, FORMS, IN_FAVOUR, PROOFS, WITHOUT_SIGNAL, ReasonKind, kind_of
from scoring.reasons import ReasonCode
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
    for code in judge.heeded.keys() - FORMS:
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


def test_a_form_is_shown_last_and_moves_nothing() -> None:
    findings = {code: Finding(1.0, "x") for code in (ReasonCode.MEASURE_SHOWN, ReasonCode.DISTINCT_UNASKED)}
    reply = local_judge().weigh(findings)
    assert [each.code for each in reply.reasons] == [ReasonCode.DISTINCT_UNASKED, ReasonCode.MEASURE_SHOWN]
    assert reply.reasons[1].weight == 0
    assert reply.p_correct == local_judge().weigh({ReasonCode.DISTINCT_UNASKED: Finding(1.0, "x")}).p_correct


def test_in_strict_form_a_form_counts_against_an_answer() -> None:
    findings = {ReasonCode.MEASURE_SHOWN: Finding(1.0, "x")}
    strict = local_judge().weigh(findings, strict_form=True)
    assert strict.p_correct < local_judge().weigh(findings).p_correct
    assert strict.reasons[0].weight < 0


def test_no_fault_weighs_nothing() -> None:
    weights = load_weights(packaged_weights()).weights
    assert [code for code, weight in weights.items() if kind_of(code) is ReasonKind.FAULT and weight == 0] == []


def test_equally_strong_reasons_keep_the_order_of_the_signals(document: dict[str, Any]) -> None:
    same_weight = [ReasonCode.FILTER_MISSING, ReasonCode.LIMIT_WRONG, ReasonCode.ORDER_FLIPPED]
    document["weights"] |= {code.value: -0.5 for code in same_weight}
    findings = {code: Finding(1.0, "x") for code in same_weight}
    reply = LocalJudge.of(load_weights(document)).weigh(findings)
    assert [each.code for each in reply.reasons] == same_weight


def test_without_proof_p_correct_keeps_within_the_range_that_the_labels_bear_out(document: dict[str, Any]) -> None:
    document |= {"least_p_correct": 0.2, "most_p_correct": 0.9}
    judge = LocalJudge.of(load_weights(document))
    against = {code: Finding(1.0, "x") for code in judge.heeded if code not in IN_FAVOUR and code not in FORGERIES}
    assert judge.weigh(against).p_correct == pytest.approx(0.2, abs=1e-3)
    assert judge.weigh({code: Finding(1.0, "x") for code in IN_FAVOUR & judge.heeded.keys()}).p_correct <= 0.9


@pytest.mark.parametrize("code", sorted(PROOFS))
def test_a_proof_is_surer_than_any_label_and_nothing_outweighs_it(code: ReasonCode) -> None:
    in_favour = {each: Finding(1.0, "x") for each in IN_FAVOUR & local_judge().heeded.keys()}
    assert local_judge().weigh({code: Finding(1.0, "x"), **in_favour}).p_correct < 0.1


def test_no_signal_alone_makes_the_judge_sure_that_an_answer_is_wrong(document: dict[str, Any]) -> None:
    """A weight without measure and no label noise: still, a second signal must bear it out."""
    document |= {"least_p_correct": 0.0, "most_p_correct": 1.0, "intercept": 1.0}
    document["weights"] |= {"FILTER_MISMATCHED": -20.0, "OUTPUT_MISSING": -0.5, "ORDER_FLIPPED": -4.0}
    judge = LocalJudge.of(load_weights(document))

    def p_correct(*codes: ReasonCode) -> float:
        return judge.weigh({code: Finding(1.0, "x") for code in codes}).p_correct

    alone, hinted, borne_out = (
        p_correct(ReasonCode.FILTER_MISMATCHED),
        p_correct(ReasonCode.FILTER_MISMATCHED, ReasonCode.OUTPUT_MISSING),
        p_correct(ReasonCode.FILTER_MISMATCHED, ReasonCode.ORDER_FLIPPED),
    )
    assert alone == hinted == ALONE > 0.15
    assert borne_out < 0.01


def test_no_packaged_weight_makes_the_judge_sure_by_itself() -> None:
    judge = local_judge()
    plain = [code for code in judge.heeded if code not in FORGERIES and code not in IN_FAVOUR]
    assert all(judge.weigh({code: Finding(1.0, "x")}).p_correct > 0.15 for code in plain)


@pytest.mark.parametrize("noise", [-0.1, 0.5, "some", None])
def test_a_label_noise_of_a_half_or_more_or_no_number_is_refused(document: dict[str, Any], noise: object) -> None:
    del document["least_p_correct"], document["most_p_correct"]
    document["label_noise"] = noise
    with pytest.raises(InvalidWeightsError):
        load_weights(document)


@pytest.mark.parametrize(("least", "most"), [(0.6, 0.9), (0.1, 0.4), (-0.1, 1.0), (0.1, 1.1)])
def test_a_range_that_does_not_hold_a_half_is_refused(document: dict[str, Any], least: float, most: float) -> None:
    document |= {"least_p_correct": least, "most_p_correct": most}
    with pytest.raises(InvalidWeightsError, match="p_correct from"):
        load_weights(document)


def test_weights_of_earlier_versions_keep_their_label_noise(document: dict[str, Any]) -> None:
    del document["least_p_correct"], document["most_p_correct"]
    assert (load_weights(document).probability.least, load_weights(document).probability.most) == (0, 1)
    document["label_noise"] = 0.1
    assert (load_weights(document).probability.least, load_weights(document).probability.most) == (0.1, 0.9)


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
