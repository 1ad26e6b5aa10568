"""Agreement of labels with the judge: known tables, weights, and intervals that hold as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from evals.trust.agreement_table import LEVEL, CalledAnswer, StatedAnswer, agreement, reliability
from evals.trust.label_agreement import JudgedLabel, trust_report


def called(both_wrong: int, missed: int, false_alarms: int, both_right: int) -> list[CalledAnswer]:
    cells = [(True, True, both_wrong), (True, False, missed), (False, True, false_alarms), (False, False, both_right)]
    return [CalledAnswer(wrong=wrong, called_wrong=said) for wrong, said, count in cells for _ in range(count)]


def test_cohen_s_own_kind_of_table():
    # 20, 5, 10, 15 of 50: κ is 0.4, as in every textbook
    found = agreement(called(20, 5, 10, 15))
    assert found.kappa.value == pytest.approx(0.4)
    assert found.sensitivity.value == pytest.approx(0.8)
    assert found.specificity.value == pytest.approx(0.6)
    assert found.kappa.low < 0.4 < found.kappa.high


@pytest.mark.parametrize("cells", [(5, 0, 0, 0), (0, 0, 0, 5), (0, 5, 0, 0), (0, 0, 5, 0)])
def test_where_both_sides_call_everything_the_same_kappa_is_not_defined(cells):
    found = agreement(called(*cells))
    assert found.kappa is None
    assert (found.sensitivity is None) == (cells[0] + cells[1] == 0)


@pytest.mark.parametrize("cells", [(3, 0, 0, 7), (1, 0, 0, 1), (0, 1, 1, 0), (0, 2, 0, 9), (4, 0, 3, 0)])
def test_small_tables_have_wide_intervals_that_hold_the_figure(cells):
    found = agreement(called(*cells))
    assert -1 <= found.kappa.low <= found.kappa.value <= found.kappa.high <= 1
    assert found.kappa.high - found.kappa.low > 0.2


def test_no_answers_have_no_figures():
    assert agreement([]) is None
    assert reliability([]) == []


def test_the_interval_of_kappa_holds_it_about_as_often_as_it_says():
    dice = np.random.default_rng(3)
    shares = np.array([0.15, 0.05, 0.1, 0.7])
    chance = 0.2 * 0.25 + 0.8 * 0.75
    true = (0.85 - chance) / (1 - chance)
    held = 0
    for _ in range(200):
        found = agreement(called(*dice.multinomial(80, shares))).kappa
        held += found is not None and found.low <= true <= found.high
    assert held / 200 >= LEVEL - 0.06


def test_answers_that_are_drawn_with_other_probabilities_count_by_them():
    dice = np.random.default_rng(4)
    wrong = dice.random(20_000) < 0.2
    said = np.where(wrong, dice.random(20_000) < 0.6, dice.random(20_000) < 0.1)
    # what the judge calls wrong is drawn ten times as often
    probability = np.where(said, 0.5, 0.05)
    drawn = dice.random(20_000) < probability
    rows = [
        CalledAnswer(wrong=bool(wrong[n]), called_wrong=bool(said[n]), weight=1 / probability[n])
        for n in np.flatnonzero(drawn)
    ]
    weighted, plain = (
        agreement(rows),
        agreement([CalledAnswer(wrong=r.wrong, called_wrong=r.called_wrong) for r in rows]),
    )
    assert weighted.sensitivity.value == pytest.approx(0.6, abs=0.05)
    assert weighted.specificity.value == pytest.approx(0.9, abs=0.02)
    assert plain.sensitivity.value > 0.85
    assert weighted.size < plain.size == len(rows)


def test_probabilities_are_compared_with_labels_in_bins():
    rows = [StatedAnswer(p=0.95, right=n < 5) for n in range(10)] + [StatedAnswer(p=1.0, right=True)]
    [found] = reliability(rows)
    assert (found.start, found.end, found.answers) == (0.9, 1.0, 11)
    assert found.off
    assert not reliability([StatedAnswer(p=0.5, right=n < 5) for n in range(10)])[0].off


def label(answer: str, reviewer: str, wrong: bool, **more) -> JudgedLabel:
    fields = {"probability": None, "agent": "crumb", "judge": "local/4", "p": 0.2, **more}
    return JudgedLabel(answer=("t", "s", answer), reviewer=reviewer, wrong=wrong, **fields)


def test_reviewers_count_together_against_the_judge_and_each_against_the_others():
    labels = [
        *(label("a", reviewer, wrong) for reviewer, wrong in (("ann", True), ("ben", True), ("cem", False))),
        *(label("b", reviewer, wrong) for reviewer, wrong in (("ann", True), ("ben", False))),
        label("c", "ann", False, p=0.9, agent="crust", probability=0.5),
        label("d", "ann", False, p=None),
    ]
    report = trust_report(labels, drawn=False)
    assert (report.answers, report.divided, report.without_score, report.labels) == (2, 1, 1, 7)
    assert report.overall.both_wrong == report.overall.both_right == 0.5
    assert [name for name, _ in report.by_agent] == ["crumb of t", "crust of t"]
    assert {pair: each.answers for pair, each in report.by_pair} == {
        ("ann", "ben"): 2,
        ("ann", "cem"): 1,
        ("ben", "cem"): 1,
    }
    drawn = trust_report(labels, drawn=True)
    assert (drawn.labels, drawn.answers) == (1, 1)


def test_an_answer_with_very_many_reviewers_is_bounded():
    report = trust_report([label("a", f"r{n:04}", n % 2 == 0) for n in range(2_001)], drawn=False)
    assert len(report.by_pair) == 20 * 19 / 2
