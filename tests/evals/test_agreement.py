"""Figures of a judge: what they are on answers whose outcome is known, and that chance does not pass for skill."""

from __future__ import annotations

import math
import random

import pytest

from evals.agreement import Judged, intervals, measure, slices
from evals.cascade import cascaded, expected
from evals.paired import pair
from evals.report import Report


def judged(count: int, seed: int, skill: float) -> list[Judged]:
    """Answers in groups of three; a judge that says what is right with probability `skill`, and states that."""
    dice = random.Random(seed)
    rows: list[Judged] = []
    for number in range(count):
        correct = dice.random() < 0.5
        right = dice.random() < skill
        p_correct = skill if correct is right else 1 - skill
        fields = {"kind": ("even" if number % 2 else "odd",), "tags": ("a", "b") if number % 4 == 0 else ()}
        rows.append(Judged(id=str(number), correct=correct, p_correct=p_correct, group=str(number // 3), fields=fields))
    return rows


def test_a_judge_that_is_always_right_has_every_figure_at_its_best() -> None:
    rows = [Judged(id=str(n), correct=n % 2 == 0, p_correct=1.0 - n % 2, group="g", fields={}) for n in range(20)]
    found = measure(rows)
    assert (found.accuracy, found.balanced_accuracy, found.wrong_f1, found.kappa, found.auc) == (1, 1, 1, 1, 1)
    assert (found.calibration_error, found.top_20, found.sure, found.sure_accuracy) == (0, 1, 1, 1)


def test_figures_that_the_answers_do_not_allow_are_no_numbers() -> None:
    rows = [Judged(id=str(n), correct=True, p_correct=0.6, group="g", fields={}) for n in range(5)]
    found = measure(rows)
    assert math.isnan(found.auc)
    assert math.isnan(found.kappa)
    assert math.isnan(found.sure_accuracy)
    assert found.accuracy == 1


def test_ties_count_half_in_the_area_under_the_curve() -> None:
    rows = [Judged(id=str(n), correct=n < 3, p_correct=0.5, group="g", fields={}) for n in range(6)]
    assert measure(rows).auc == 0.5


def test_a_judge_that_states_its_skill_is_calibrated_and_one_that_boasts_is_not() -> None:
    honest = judged(2000, 1, 0.7)
    boasting = [
        Judged(id=r.id, correct=r.correct, p_correct=0.95 if r.p_correct > 0.5 else 0.05, group=r.group, fields={})
        for r in honest
    ]
    assert measure(honest).calibration_error < 0.05
    assert measure(boasting).calibration_error > 0.15


def test_intervals_hold_the_figure_and_are_the_same_twice() -> None:
    rows = judged(300, 2, 0.8)
    found, again = intervals(rows, draws=100), intervals(rows, draws=100)
    assert str(found) == str(again)
    low, high = found["accuracy"]
    assert low < measure(rows).accuracy < high


def test_slices_hold_the_answers_of_each_value_and_leave_out_the_rare() -> None:
    rows = judged(100, 3, 0.8)
    assert {value: each.answers for value, each in slices(rows, "kind").items()} == {"even": 50, "odd": 50}
    assert {value: each.answers for value, each in slices(rows, "tags").items()} == {"a": 25, "b": 25}
    assert slices(rows, "kind", least=51) == {}


def test_a_better_judge_is_told_from_a_worse_one_and_equals_are_not() -> None:
    worse, better = judged(600, 4, 0.6), judged(600, 4, 0.9)
    found = pair(worse, better, draws=100)
    assert found.only_second > found.only_first
    assert found.p_value < 0.001
    assert found.auc_interval[0] > 0
    same = pair(worse, worse, draws=20)
    assert (same.only_first, same.only_second, same.p_value, same.auc_gain) == (0, 0, 1.0, 0.0)


def test_judges_of_other_answers_cannot_be_paired() -> None:
    others = [Judged(id="x", correct=True, p_correct=0.5, group="g", fields={})]
    with pytest.raises(ValueError, match="share no answer"):
        pair(judged(5, 1, 0.9), others)


def test_a_cascade_asks_about_what_the_local_judge_doubts() -> None:
    local = judged(400, 5, 0.6)
    model = judged(400, 5, 0.95)
    all_asked, share = cascaded(local, model, bar=0.7)
    none_asked, no_share = cascaded(local, model, bar=0.55)
    assert (share, no_share) == (1.0, 0.0)
    assert all_asked == [
        Judged(id=one.id, correct=one.correct, p_correct=two.p_correct, group=one.group, fields=one.fields)
        for one, two in zip(local, model, strict=True)
    ]
    assert none_asked == local


def test_a_higher_bar_asks_more_and_costs_are_told_before_they_arise() -> None:
    found = expected(judged(400, 6, 0.8), model_accuracy=0.9)
    asked = [each.asked for each in found]
    assert asked == sorted(asked)
    assert found[-1].asked == 1.0
    assert found[-1].agreement == pytest.approx(0.9)


def test_the_report_is_a_page_and_plain_data_without_nan() -> None:
    rows = judged(60, 7, 0.8)
    report = Report(
        judge="local/t",
        labels="made up",
        unscored=1,
        measures=measure(rows),
        intervals=intervals(rows, draws=20),
        slices={"kind": slices(rows, "kind")},
        cascade=expected(rows, model_accuracy=0.9),
        asked=0.25,
        against=pair(rows, rows, draws=20),
        other="another",
    )
    page = report.markdown()
    for words in ("AUC of `p_correct`", "| kind |", "bar on γ", "25.0%", "McNemar", "not scored | 1"):
        assert words in page
    assert report.document()["slices"]
    assert "nan" not in str(report.document())
