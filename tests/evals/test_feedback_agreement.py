"""Complaints are worth what labels find among them."""

from __future__ import annotations

import pytest

from evals.trust.feedback_agreement import ENOUGH_LABELS, HeardAnswer, feedback_agreement


def heard(count: int, *, complained: bool, wrong: bool | None, agent: str = "crumb") -> list[HeardAnswer]:
    said = {"satisfied": 0 if complained else 2, "dissatisfied": 2 if complained else 1}
    labels = {"right": int(wrong is False), "wrong": int(wrong is True)}
    return [HeardAnswer(tenant="t", agent=agent, **said, **labels)] * count


def test_complaints_are_corrected_by_labels():
    answers = [
        *heard(20, complained=True, wrong=True),
        *heard(20, complained=True, wrong=False),
        *heard(5, complained=False, wrong=True),
        *heard(45, complained=False, wrong=False),
        *heard(110, complained=False, wrong=None),
    ]
    [found] = feedback_agreement(answers)
    assert (found.answers, found.labelled, found.complained) == (200, 90, 0.2)
    assert found.beside_labels.sensitivity.value == pytest.approx(20 / 25)
    assert found.beside_labels.specificity.value == pytest.approx(45 / 65)
    # 20 % of all complain, half of them with reason; of the others one in ten is wrong
    assert found.wrong.value == pytest.approx(0.2 * 0.5 + 0.8 * 0.1)
    assert found.wrong.low < found.wrong.value < found.wrong.high


def test_without_enough_labels_of_both_kinds_nothing_is_corrected():
    few = heard(ENOUGH_LABELS - 1, complained=True, wrong=True)
    assert feedback_agreement(few)[0].wrong is None
    one_sided = [*heard(30, complained=True, wrong=True), *heard(1, complained=False, wrong=None)]
    assert feedback_agreement(one_sided)[0].wrong is None
    assert feedback_agreement(heard(30, complained=True, wrong=True))[0].wrong.value == 1.0


def test_divided_users_say_nothing_and_agents_with_most_feedback_come_first():
    divided = HeardAnswer(tenant="t", agent="rye", satisfied=1, dissatisfied=1, right=1, wrong=0)
    found = feedback_agreement(
        [divided, *heard(1, complained=True, wrong=None, agent="rye"), *heard(2, complained=False, wrong=None)]
    )
    assert [(each.name, each.answers, each.beside_labels) for each in found] == [
        ("crumb of t", 2, None),
        ("rye of t", 1, None),
    ]
