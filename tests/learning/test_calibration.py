"""Weights from labels: reproducible, signed by what each code says, honest about groups held out."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import numpy as np
import pytest

from learning.calibration import LEAST, LEAST_SLOPE, MOST, RIGHT_SHARE, Fit, calibrate, weights_document
from learning.fitting import PRIOR
from learning.labelled import CODES, Labelled
from learning.selection import LEAST_FAULT
from scoring.judging.local import LocalJudge, load_weights
from scoring.reason_kinds import HINTS, IN_FAVOUR
from scoring.reasons import ReasonCode
from scoring.signals.finding import Finding

TELLING = {ReasonCode.FILTER_MISSING: 0.7, ReasonCode.ORDER_FLIPPED: 0.9}


def labelled(count: int, seed: int) -> list[Labelled]:
    """Answers that two signals tell apart, one signal that means nothing, and one that labels contradict."""
    dice = random.Random(seed)
    rows: list[Labelled] = []
    for number in range(count):
        correct = dice.random() < 0.5
        strengths = {code: 1.0 for code, rate in TELLING.items() if not correct and dice.random() < rate}
        if dice.random() < 0.5:
            strengths[ReasonCode.OUTPUT_STAR] = 1.0
        if correct and dice.random() < 0.6:
            strengths[ReasonCode.ORDER_CHANGED] = 1.0
        rows.append(Labelled(strengths=strengths, correct=correct, groups=(f"question {number // 3}",), strict=True))
    return rows


def steepness(fit: Fit) -> float:
    """The slope of the calibration, from a contradiction that these labels never show: it stays at its prior."""
    unseen = ReasonCode.WHERE_FOR_HAVING
    return fit.weights[unseen] / PRIOR[CODES.index(unseen)]


def test_the_same_labels_give_the_same_file() -> None:
    first, second = (json.dumps(weights_document(calibrate(labelled(300, 7)), version="t")) for _ in range(2))
    assert first == second


def test_signals_that_tell_wrong_answers_weigh_against_them() -> None:
    fit = calibrate(labelled(600, 1))
    assert fit.auc > 0.9
    for code in TELLING:
        assert fit.weights[code] < -1
        assert abs(fit.weights[ReasonCode.OUTPUT_STAR]) < abs(fit.weights[code]) / 3


def test_no_weight_contradicts_what_its_code_says() -> None:
    fit = calibrate(labelled(600, 2))
    contradicted = ReasonCode.ORDER_CHANGED
    assert fit.weights[contradicted] == pytest.approx(-LEAST_FAULT * steepness(fit), rel=1e-3)
    assert fit.weights[contradicted] > steepness(fit) * PRIOR[CODES.index(contradicted)] / 4
    assert all(weight >= 0 if code in IN_FAVOUR else weight <= 0 for code, weight in fit.weights.items())


def test_labels_by_chance_are_not_told_apart_on_groups_held_out() -> None:
    dice = random.Random(3)
    rows = [
        Labelled(strengths=row.strengths, correct=dice.random() < 0.5, groups=row.groups) for row in labelled(600, 3)
    ]
    assert 0.4 < calibrate(rows).auc < 0.6


def test_the_document_is_what_the_judge_reads() -> None:
    document = weights_document(calibrate(labelled(300, 4)), version="trial")
    judge = LocalJudge.of(load_weights(json.loads(json.dumps(document))))
    clean = judge.weigh({})
    spoilt = judge.weigh({ReasonCode.ORDER_FLIPPED: Finding(1.0, "x ASC for highest")})
    assert judge.name == "local/trial"
    assert spoilt.p_correct < clean.p_correct
    assert [each.code for each in spoilt.reasons] == [ReasonCode.ORDER_FLIPPED]


@pytest.mark.parametrize(
    "rows", [[], labelled(6, 1), [Labelled(strengths={}, correct=True, groups=(str(n),)) for n in range(20)]]
)
def test_too_few_labels_are_refused(rows: list[Labelled]) -> None:
    with pytest.raises(ValueError, match="need both labels"):
        calibrate(rows)


def test_no_label_leaks_into_the_judgement_of_its_own_group() -> None:
    """With every label of a group turned over, and of no other, the group's log-odds stay to the last digit."""
    rows = labelled(300, 5)
    turned = "question 7"
    other = [replace(row, correct=not row.correct) if row.groups == (turned,) else row for row in rows]
    held = [place for place, row in enumerate(rows) if row.groups == (turned,)]
    before, after = calibrate(rows), calibrate(other)
    assert held
    assert before.log_odds[held].tolist() == after.log_odds[held].tolist()
    assert before.log_odds.tolist() != after.log_odds.tolist()


def test_with_two_fields_no_label_leaks_from_either_group_of_an_answer() -> None:
    """Turning over the labels of all answers of one agent, or of one question, leaves their own log-odds alone."""
    rows = [
        replace(row, groups=(*row.groups, f"agent {n % 4}" if n % 5 else "")) for n, row in enumerate(labelled(240, 11))
    ]
    before = calibrate(rows, folds=(3, 2)).log_odds
    for field, turned in ((0, "question 7"), (1, "agent 2")):
        held = [place for place, row in enumerate(rows) if row.groups[field] == turned]
        other = [replace(row, correct=not row.correct) if row.groups[field] == turned else row for row in rows]
        after = calibrate(other, folds=(3, 2)).log_odds
        assert held
        assert before[held].tolist() == after[held].tolist()
        assert before.tolist() != after.tolist()


def flipped(rows: list[Labelled], share: float, seed: int) -> list[Labelled]:
    """The rows with a share of their labels turned over by chance."""
    dice = random.Random(seed)
    return [replace(row, correct=not row.correct) if dice.random() < share else row for row in rows]


def test_where_labels_err_the_judge_is_hardly_surer_of_right_answers_than_they_are() -> None:
    """They make no steeper slope than the least. Against an answer it is surer than they are, down to `LEAST`.

    The labels are compared at the share of right answers for which `p_correct` is calibrated.
    """
    rows = flipped(labelled(900, 6), 0.15, 6)
    fit = calibrate(rows)
    right = np.array([row.correct for row in rows])
    share = np.where(right, RIGHT_SHARE / right.sum(), (1 - RIGHT_SHARE) / (~right).sum())
    favoured = fit.held_out > 0.5
    believed, labels = (
        np.average(each[favoured], weights=share[favoured]) for each in (fit.held_out, right.astype(float))
    )
    assert favoured.sum() > 400
    assert 0.9 < believed < labels + 0.02
    assert fit.held_out.min() >= LEAST
    assert fit.held_out.max() < MOST
    assert steepness(fit) == pytest.approx(LEAST_SLOPE, rel=1e-3)
    assert steepness(calibrate(labelled(900, 6))) > 1.5 * LEAST_SLOPE


def test_labels_that_are_not_trusted_tell_nothing_of_doubt() -> None:
    sure = labelled(600, 8)
    noisy = [replace(row, trusted=False) for row in flipped(labelled(600, 9), 0.4, 9)]
    believed = [replace(row, trusted=True) for row in noisy]
    heard, doubting = calibrate([*sure, *noisy]), calibrate([*sure, *believed])
    at_fault = [place for place, row in enumerate(sure) if ReasonCode.ORDER_FLIPPED in row.strengths]
    assert steepness(heard) > 1.5 * steepness(doubting)
    assert heard.held_out.max() > doubting.held_out.max()
    assert heard.held_out[at_fault].mean() < doubting.held_out[at_fault].mean() - 0.05


def test_no_hint_counts_for_more_than_its_bound() -> None:
    hint = ReasonCode.WILDCARD_UNASKED
    rows = [replace(row, strengths={} if row.correct else {hint: 1.0}) for row in labelled(400, 10)]
    steep = calibrate(rows).weights[ReasonCode.ORDER_FLIPPED] / PRIOR[CODES.index(ReasonCode.ORDER_FLIPPED)]
    assert calibrate(rows).weights[hint] == pytest.approx(steep * HINTS[hint], rel=1e-3)


def test_labels_that_do_not_punish_form_weigh_no_form() -> None:
    form = ReasonCode.MEASURE_SHOWN
    lenient = [replace(row, strict=False, source="lenient") for row in labelled(400, 11)]
    severe = [replace(row, strengths={} if row.correct else {form: 1.0}, source="severe") for row in labelled(400, 12)]
    spoilt = [replace(row, strengths={**row.strengths, form: 1.0}) for row in lenient]
    assert calibrate([*spoilt, *severe]).weights == calibrate([*lenient, *severe]).weights
    assert calibrate([*lenient, *severe]).weights[form] < -0.5
