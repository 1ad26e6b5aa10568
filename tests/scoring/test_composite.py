"""Φ, its parts and its tiers: the paper's arithmetic and what must hold of any of it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consumers.wire.rules_document import InvalidRules, decode_rules
from scoring.composite import SIGMA_FILTERS, SIGMA_VERDICT, compose, multiplier
from scoring.evaluation import conclude
from scoring.rules import Tier, TierBounds
from scoring.specification import Clause, Column, Op, Operand, SqlFilter
from scoring.values import Text
from scoring.verdict import FilterAlignment, FilterStatus, Reply, Verdict
from tests.examples import example_case

ACTIVE = SqlFilter(
    lhs=Operand(name="status", columns=(Column(name="status"),)),
    op=Op.EQ,
    rhs=Text("active"),
    block="main",
    clause=Clause.WHERE,
)
WITH_EXTRAS = FilterStatus.FULLY_APPLIED_WITH_EXTRAS


def aligned(status: FilterStatus, *, benign: bool = False, extra: bool = False) -> FilterAlignment:
    return FilterAlignment(status=status, benign=(ACTIVE,) if benign else (), extra=(ACTIVE,) if extra else ())


@pytest.mark.parametrize(
    ("filters", "verdict", "confidence", "score"),
    [
        (aligned(FilterStatus.FULLY_APPLIED), Verdict.CORRECT, 0.9, 100.0),
        (aligned(WITH_EXTRAS, benign=True), Verdict.CORRECT, 0.9, 100.0),
        (aligned(WITH_EXTRAS, extra=True), Verdict.CORRECT, 0.9, 90.0),
        (aligned(WITH_EXTRAS, extra=True, benign=True), Verdict.CORRECT, 0.9, 90.0),
        (aligned(FilterStatus.PARTIALLY_APPLIED), Verdict.POTENTIALLY_INCORRECT, 0.7, 40.0),
        (aligned(FilterStatus.NOT_APPLIED), Verdict.POTENTIALLY_INCORRECT, 0.1, 10.0),
        (aligned(FilterStatus.FULLY_APPLIED), Verdict.INCORRECT, 0.97, 50.0),
        (aligned(FilterStatus.FULLY_APPLIED), Verdict.CORRECT, 0.6, 50.0),
    ],
)
def test_the_score_is_the_papers_arithmetic(
    filters: FilterAlignment, verdict: Verdict, confidence: float, score: float
) -> None:
    assert compose(filters, verdict, confidence).score == score


@pytest.mark.parametrize(
    ("confidence", "gamma"), [(1.0, 1.0), (0.85, 1.0), (0.8499, 0.8), (0.65, 0.8), (0.6499, 0.5), (0.0, 0.5)]
)
def test_the_multiplier_steps_at_its_thresholds(confidence: float, gamma: float) -> None:
    assert multiplier(confidence) == gamma


def test_the_listing_is_kept_where_no_leniency_applies() -> None:
    for status, verdict, confidence in itertools.product(FilterStatus, Verdict, (0.9, 0.7, 0.2)):
        base = SIGMA_FILTERS[status] + SIGMA_VERDICT[verdict]
        gamma = 1.0 if confidence >= 0.85 else 0.8 if confidence >= 0.65 else 0.5
        assert compose(aligned(status), verdict, confidence).score == round((base / 10) * 100 * gamma, 2)


@given(st.sampled_from(FilterStatus), st.sampled_from(FilterStatus), st.sampled_from(Verdict), st.floats(0, 1))
def test_the_score_never_falls_with_a_better_filter_status(
    one: FilterStatus, other: FilterStatus, verdict: Verdict, confidence: float
) -> None:
    low, high = sorted((one, other), key=SIGMA_FILTERS.__getitem__)
    assert compose(aligned(low), verdict, confidence).score <= compose(aligned(high), verdict, confidence).score


@given(st.sampled_from(FilterStatus), st.sampled_from(Verdict), st.sampled_from(Verdict), st.floats(0, 1))
def test_the_score_never_falls_with_a_better_verdict(
    status: FilterStatus, one: Verdict, other: Verdict, confidence: float
) -> None:
    low, high = sorted((one, other), key=SIGMA_VERDICT.__getitem__)
    assert compose(aligned(status), low, confidence).score <= compose(aligned(status), high, confidence).score


@given(st.sampled_from(FilterStatus), st.sampled_from(Verdict), st.floats(0, 1), st.booleans(), st.booleans())
def test_the_score_stays_in_range_and_leniency_never_lowers_it(
    status: FilterStatus, verdict: Verdict, confidence: float, benign: bool, extra: bool
) -> None:
    with_benign = compose(aligned(status, benign=benign, extra=extra), verdict, confidence)
    assert 0 <= with_benign.score <= 100
    assert with_benign.score >= compose(aligned(status, extra=extra), verdict, confidence).score


@given(*2 * [st.sampled_from(FilterStatus), st.floats(0, 1)], st.booleans())
def test_an_answer_that_a_model_calls_right_scores_above_any_that_it_calls_wrong(
    one: FilterStatus, sure: float, two: FilterStatus, unsure: float, benign: bool
) -> None:
    right = [
        compose(aligned(one), each, sure, by_model=True).score for each in (Verdict.CORRECT, Verdict.LIKELY_CORRECT)
    ]
    wrong = [
        compose(aligned(two, benign=benign), each, unsure, by_model=True).score
        for each in (Verdict.POTENTIALLY_INCORRECT, Verdict.INCORRECT)
    ]
    assert min(right) >= 35
    assert max(wrong) <= 20


@pytest.mark.parametrize(
    ("score", "tier"),
    [
        (100, Tier.EXCELLENT),
        (90, Tier.EXCELLENT),
        (89.99, Tier.GOOD),
        (75, Tier.GOOD),
        (74.99, Tier.MARGINAL),
        (50, Tier.MARGINAL),
        (49.99, Tier.POOR),
        (0, Tier.POOR),
    ],
)
def test_the_tiers_are_table_3(score: float, tier: Tier) -> None:
    assert TierBounds().tier(score) is tier


def test_every_tier_has_an_action_of_its_own() -> None:
    assert len({tier.action for tier in Tier}) == len(Tier)


def test_a_tenant_may_move_the_bounds() -> None:
    assert TierBounds(excellent=95, good=85, marginal=60).tier(90) is Tier.GOOD


def test_a_tenant_may_set_the_bounds_of_gamma() -> None:
    reply = Reply(verdict=Verdict.CORRECT, confidence=0.7, p_correct=0.7, reasons=(), judge="local/4")
    query = "How many boats are moored in Kotor?", "SELECT COUNT(*) FROM boats WHERE harbour = 'Kotor'"
    bounds = {full: decode_rules({"confidence": {"full": full, "most": 0.6}}).rules(1) for full in (0.7, 0.75)}
    found = {full: conclude(example_case(*query, rules=rules), reply) for full, rules in bounds.items()}
    assert [found[full].composite.multiplier for full in (0.7, 0.75)] == [1.0, 0.8]
    assert conclude(example_case(*query), reply).composite.multiplier == 0.8


def test_bounds_of_gamma_that_do_not_fall_are_named() -> None:
    with pytest.raises(InvalidRules, match=r"full 0\.6 > most 0\.65 must hold"):
        decode_rules({"confidence": {"full": 0.6}})
