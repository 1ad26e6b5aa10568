"""Mining finds the habits of a simulated tenant, and nothing where there is no habit."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from learning.mining.mine_rules import Mined, MinedRule, mine_rules, with_all
from learning.mining.observing import observe
from learning.mining.proposals import ProposalKind, ProposedRule
from scoring.query import Query, Unscored
from scoring.rules import Rules
from tests.learning.simulated_tenant import MEANT, PLAIN, Traffic, observed, scored


@cache
def mined(traffic: Traffic) -> Mined:
    return mine_rules(observed(traffic), Rules(), scored, rescored=30)


def said(found: Mined) -> set[tuple[str, ...]]:
    """The habits that are proposed. Conventions and decision rules, which are none, are tested by themselves."""
    return {in_short(each.rule) for each in excusing(found)}


def excusing(found: Mined) -> list[MinedRule]:
    return [each for each in found.proposals if each.rule.kind not in {ProposalKind.CONVENTION, DECIDED}]


def borne_out(found: Mined) -> bool:
    """Whether labels bear out all decision rules: the judge has false alarms here, and some tell nothing of habits."""
    return all(each.rule.least_precision > BASE for each in found.proposals if each.rule.kind is DECIDED)


def in_short(rule: ProposedRule) -> tuple[str, ...]:
    if rule.kind is ProposalKind.BENIGN_FILTER:
        return rule.predicates
    return (rule.column,) if rule.kind is ProposalKind.IGNORE_FILTER else (rule.phrase, rule.column)


DECIDED = ProposalKind.DECISION_RULE
BASE = 0.5
"""Below the share of right answers in every traffic here with labels, where a rule would say nothing."""
HABITS = {("scrapped = 0",), ("fleet_id",), *MEANT.items()}
LABELLED, UNLABELLED = Traffic(seed=3), Traffic(seed=1, answers=300, labelled=False)
NO_HABITS = Traffic(seed=0, soft_delete=(), tenancy="", columns=tuple(PLAIN.items()))


@pytest.mark.slow  # a simulation
@pytest.mark.parametrize("seed", [3])
def test_the_habits_of_a_noisy_tenant_are_found_and_nothing_else(seed: int) -> None:
    found = mined(Traffic(seed=seed))
    assert said(found) == HABITS
    for each in excusing(found):
        assert each.rule.least_precision < each.rule.precision
        assert each.rule.support >= 8
        assert each.rule.examples
    raised = {in_short(each.rule): each.change.after - each.change.before for each in excusing(found)}
    assert raised["scrapped = 0",] > 0
    assert raised["fleet_id",] > 0
    assert min(raised[each] for each in MEANT.items()) > 0
    assert found.together.after > found.together.before
    assert borne_out(found)


@pytest.mark.parametrize("seed", [5])
def test_nothing_is_proposed_where_there_is_no_habit(seed: int) -> None:
    found = mined(replace(NO_HABITS, seed=seed))
    assert said(found) == set()
    assert borne_out(found)


@pytest.mark.slow  # the same over more seeds
@pytest.mark.parametrize("seed", range(10, 13))
def test_other_seeds_find_the_same(seed: int) -> None:
    assert said(mined(Traffic(seed=seed))) == HABITS
    assert said(mined(replace(NO_HABITS, seed=seed))) == set()


@pytest.mark.slow  # a simulation
def test_without_labels_what_nearly_every_answer_has_is_found_and_nothing_else() -> None:
    """Conditions only where the judge finds most answers right: where columns say what they hold."""
    assert set(MEANT.items()) <= said(mined(UNLABELLED)) <= HABITS
    plain = said(mined(replace(UNLABELLED, columns=tuple(PLAIN.items()))))
    assert plain == {("scrapped = 0",), ("fleet_id",)}


@pytest.mark.slow  # takes over a second
def test_every_spelling_of_one_condition_is_one_proposal() -> None:
    traffic = Traffic(seed=2, soft_delete=("scrapped = 0", "NOT scrapped"), tenancy="", columns=tuple(PLAIN.items()))
    assert said(mined(traffic)) == {("scrapped = 0", "scrapped = FALSE")}


def test_a_condition_that_makes_answers_wrong_is_not_proposed() -> None:
    answers = observed(replace(NO_HABITS, soft_delete=("scrapped = 0",)))
    harmed = [replace(each, right=each.right and not _scrapped(each.query)) for each in answers]
    found = mine_rules(harmed, Rules(), scored, rescored=30)
    assert said(found) == set()
    rules = with_all(Rules(), [each.rule for each in found.proposals])
    wrong = [each.query for each in harmed if _scrapped(each.query)][:30]
    assert wrong
    assert [_p_correct(each, rules) for each in wrong] == [_p_correct(each, Rules()) for each in wrong]


def _p_correct(query: Query, rules: Rules) -> float:
    score = scored(query, rules)
    assert not isinstance(score, Unscored)
    return score.reply.p_correct


def _scrapped(query: Query) -> bool:
    return "scrapped" in query.sql


def test_few_questions_prove_nothing_however_often_they_are_answered() -> None:
    answers = observed(Traffic(seed=0, answers=20))
    assert said(mine_rules(answers * 20, Rules(), scored, rescored=30)) == set()


def test_what_the_rules_say_already_is_not_proposed() -> None:
    rules = with_all(Rules(), [each.rule for each in mined(LABELLED).proposals])
    scores = [(query, right, scored(query, rules)) for query, right in LABELLED]
    seen = [observe(query, score, right=right) for query, right, score in scores if not isinstance(score, Unscored)]
    assert said(mine_rules(seen, rules, scored, rescored=30)) == set()


@pytest.mark.slow  # takes over a second
def test_the_same_rule_has_the_same_id_whatever_showed_it() -> None:
    ids = [
        {in_short(each.rule): each.rule.id for each in excusing(mined(traffic))} for traffic in (LABELLED, UNLABELLED)
    ]
    both = ids[0].keys() & ids[1].keys()
    assert len(both) >= 2
    assert all(ids[0][each] == ids[1][each] for each in both)
