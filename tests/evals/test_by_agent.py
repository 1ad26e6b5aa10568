"""Figures over agents: their order is found, a common bias has no spread, and hard questions give no credit."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from evals.agreement import Judged, measure
from evals.by_agent import by_agent, same_question_ranking

RIGHT_OF_TEN = {"alba": 9, "bora": 6, "cirrus": 3}


def judged(p_correct: Callable[[str, bool], float]) -> list[Judged]:
    """Ten questions answered by each of three agents, judged by a rule."""
    return [
        Judged(
            id=f"{agent} {number}",
            correct=number < right,
            p_correct=p_correct(agent, number < right),
            group=str(number),
            fields={},
            question=str(number),
            agent=agent,
        )
        for agent, right in RIGHT_OF_TEN.items()
        for number in range(10)
    ]


def test_a_judge_that_shows_the_true_shares_has_no_bias() -> None:
    found = by_agent(judged(lambda agent, _: RIGHT_OF_TEN[agent] / 10))
    assert found is not None
    assert [(each.agent, each.answers, each.rank_right, each.rank_shown) for each in found.agents] == [
        ("alba", 10, 1, 1),
        ("bora", 10, 2, 2),
        ("cirrus", 10, 3, 3),
    ]
    assert [each.bias for each in found.agents] == pytest.approx([0, 0, 0])
    assert (found.rank_correlation, found.bias_spread) == (1, pytest.approx(0))


def test_a_judge_that_turns_the_order_of_agents_over_is_found_out_although_it_knows_right_from_wrong() -> None:
    """Right answers of one agent always stand above wrong ones, but its style costs more than a mistake."""
    style = {"alba": 0.4, "bora": 0.2, "cirrus": 0.0}
    found = by_agent(judged(lambda agent, correct: 0.5 + 0.1 * correct - style[agent]))
    assert found is not None
    assert found.rank_correlation == -1
    assert found.bias_spread > 0.3
    assert [each.rank_shown for each in found.agents] == [3, 2, 1]


def test_a_bias_that_is_the_same_for_all_has_no_spread() -> None:
    found = by_agent(judged(lambda agent, _: RIGHT_OF_TEN[agent] / 10 - 0.2))
    assert found is not None
    assert [each.bias for each in found.agents] == pytest.approx([-0.2] * 3)
    assert found.bias_spread == pytest.approx(0)


def test_knowing_which_questions_are_hard_does_not_help_within_a_question() -> None:
    rows = judged(lambda _, correct: 0.5)
    hard = [
        Judged(id=r.id, correct=r.correct, p_correct=1 - int(r.question) / 10, group="", fields={}, question=r.question)
        for r in rows
    ]
    assert measure(hard).auc > 0.8
    assert same_question_ranking(hard) == (0.5, 12)


def test_within_a_question_every_pair_counts_once_and_ties_half() -> None:
    rows = [
        Judged(id=f"{n}", correct=right, p_correct=p, group="", fields={}, question=question)
        for n, (question, right, p) in enumerate(
            [
                ("a", True, 0.9),
                ("a", True, 0.3),
                ("a", False, 0.3),
                ("a", False, 0.5),
                ("b", True, 0.1),
                ("c", False, 0.9),
            ]
        )
    ]
    assert same_question_ranking(rows) == ((1 + 1 + 0.5 + 0) / 4, 4)


def test_what_the_judge_is_sure_of_is_counted_on_both_sides() -> None:
    found = by_agent(judged(lambda agent, correct: {"alba": 0.9, "bora": 0.5, "cirrus": 0.15}[agent]))
    assert found is not None
    assert (found.sure_right, found.sure_right_share) == (0.9, pytest.approx(1 / 3))
    assert (found.sure_wrong, found.sure_wrong_share) == (0.7, pytest.approx(1 / 3))


def test_what_the_answers_do_not_allow_is_no_number() -> None:
    one = [row for row in judged(lambda *_: 0.5) if row.agent == "alba"]
    found = by_agent(one)
    assert found is not None
    assert math.isnan(found.rank_correlation)
    assert math.isnan(found.sure_right)
    assert math.isnan(found.same_question)
    assert by_agent([Judged(id="1", correct=True, p_correct=0.5, group="", fields={})]) is None
