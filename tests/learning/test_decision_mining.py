"""Decision rules are found where labels contradict the judge, and nowhere else."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from learning.mining.decisions import RuleDirection, _auc, decision_rules
from learning.mining.evidence import LEAST_LABELLED
from learning.mining.observing import ObservedAnswer
from learning.mining.proposals import ProposedRule
from scoring.decision_rules import read_decision_rule
from scoring.reasons import ReasonCode
from tests.learning.simulated_tenant import Traffic, observed

KEY, STAR, EXTRA = ReasonCode.KEY_UNASKED, ReasonCode.OUTPUT_STAR, ReasonCode.FILTER_EXTRA
MODEL = observed(Traffic(seed=0, answers=1))[0]
Habit = Callable[[ObservedAnswer], float | None]
"""How often reviewers call an answer right; `None` where they do as the judge says."""


def answers(seed: int, habit: Habit, questions: int = 240) -> list[ObservedAnswer]:
    """Answers with a few codes each, one to three a question, and labels by a habit or by the judge's probability."""
    chance = random.Random(seed)
    found: list[ObservedAnswer] = []
    for number in range(questions):
        for _ in range(chance.choice((1, 1, 2, 3))):
            codes = {code for code, share in ((KEY, 0.3), (STAR, 0.3), (EXTRA, 0.3)) if chance.random() < share}
            codes |= {code for code in list(ReasonCode)[5:15] if chance.random() < 0.15}
            likely = min(0.95, max(0.1, 0.95 - 0.15 * len(codes) + chance.uniform(-0.1, 0.1)))
            answer = replace(
                MODEL, asked=f"question {number}", codes=frozenset(codes), p_correct=likely, p_judge=likely
            )
            said = habit(answer)
            found.append(replace(answer, right=chance.random() < (likely if said is None else said)))
    return found


def both(answer: ObservedAnswer) -> float | None:
    return 0.92 if {KEY, STAR} <= answer.codes else None


def without(answer: ObservedAnswer) -> float | None:
    return 0.92 if KEY in answer.codes and STAR not in answer.codes else None


def failing(answer: ObservedAnswer) -> float | None:
    return 0.0 if {KEY, STAR} <= answer.codes else None


def as_judged(answer: ObservedAnswer) -> float | None:
    return None


def generous(answer: ObservedAnswer) -> float | None:
    """Reviewers who accept most of everything: the tenant's calibration says that, not a rule."""
    return answer.p_correct + 0.6 * (1 - answer.p_correct)


def rules(seed: int, habit: Habit, direction: RuleDirection, questions: int = 240) -> list[ProposedRule]:
    return decision_rules(answers(seed, habit, questions), (), direction)


def conditions(found: list[ProposedRule]) -> list[str]:
    return [each.decision.conditions for each in found if each.decision is not None]


@pytest.mark.slow  # mines several times
@pytest.mark.parametrize(
    ("habit", "direction", "said"),
    [
        (both, RuleDirection.FOR, "KEY_UNASKED and OUTPUT_STAR"),
        (without, RuleDirection.FOR, "KEY_UNASKED and not OUTPUT_STAR"),
        (failing, RuleDirection.AGAINST, "KEY_UNASKED and OUTPUT_STAR"),
    ],
)
def test_what_reviewers_call_otherwise_than_the_judge_is_one_rule(habit: Habit, direction: RuleDirection, said: str):
    found = rules(1, habit, direction, questions=300)
    assert conditions(found) == [said]
    assert found[0].decision is not None
    assert found[0].decision.shift * direction > 0.3
    assert found[0].least_precision < found[0].precision
    assert found[0].support >= 12
    assert found[0].examples


@pytest.mark.parametrize("habit", [as_judged, generous])
@pytest.mark.parametrize("direction", list(RuleDirection))
def test_nothing_is_found_where_the_judge_is_right_or_only_too_strict(habit: Habit, direction: RuleDirection):
    assert rules(2, habit, direction) == []


@pytest.mark.slow  # sixteen tenants
def test_luck_is_seldom_a_rule():
    found = [rules(seed, as_judged, direction) for seed in range(8) for direction in RuleDirection]
    assert sum(map(bool, found)) <= 1


def test_few_labelled_questions_prove_nothing_and_labels_of_the_same_question_are_one():
    few = answers(1, both, LEAST_LABELLED - 1)
    assert decision_rules(few * 20, (), RuleDirection.FOR) == []
    unlabelled = [replace(each, right=None) for each in answers(1, both, 300)]
    assert decision_rules(unlabelled, (), RuleDirection.FOR) == []


def test_a_rule_in_force_is_not_proposed_again_and_a_full_document_gets_none():
    labelled = answers(1, both, 300)
    in_force = read_decision_rule("OUTPUT_STAR and KEY_UNASKED: +0.1")
    assert conditions(decision_rules(labelled, [in_force], RuleDirection.FOR)) == []
    assert decision_rules(labelled, [in_force] * 8, RuleDirection.FOR) == []


@pytest.mark.slow  # mines several times
def test_the_same_labels_give_the_same_rules_in_any_order():
    labelled = answers(1, both, 300)
    shuffled = random.Random(0).sample(labelled, len(labelled))
    one, other = (decision_rules(each, (), RuleDirection.FOR) for each in (labelled, shuffled))
    assert [each.text for each in one] == [each.text for each in other]
    assert [each.id for each in one] == [each.id for each in other]


def test_the_auc_is_that_of_scikit_learn_with_ties() -> None:
    draw = np.random.default_rng(3)
    right = draw.random(200) < 0.7
    odds = np.round(right + draw.normal(size=200), 1)
    assert _auc(odds, right) == pytest.approx(float(roc_auc_score(right, odds)))
