"""Users' feedback in the estimate: the interval holds however biased it is, and is shorter where it tells something."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evals.estimate.groups import AnswerGroup, estimate_group, usable_labels
from evals.estimate.right_share import LabelledScore, Method
from evals.estimate.score_counts import Probabilities
from tests.evals.drawn_labels import LEVEL, Known
from tests.evals.heard_draws import USERS, held_by, opinions_of
from tests.evals.judged_draws import answers_of, model_of

SHARES = (0.05, 0.3, 0.55, 0.8, 0.95)


@pytest.mark.parametrize("directed", [False, True], ids=["alike", "directed"])
@pytest.mark.parametrize("labels", [10, 30, 60])
@pytest.mark.parametrize("name", USERS)
def test_nine_in_ten_intervals_hold_whatever_users_say(name: str, labels: int, directed: bool) -> None:
    known = [answers_of(right, answers) for answers in (220, 700) for right in SHARES]
    found = [
        held_by(each, opinions_of(each, USERS[name]), labels=labels, directed=directed, draws=40) for each in known
    ]
    assert np.mean([each.covered for each in found]) >= 0.88
    assert np.mean([abs(each.bias) for each in found]) < 0.025


@pytest.mark.parametrize("name", USERS)
def test_they_hold_beside_a_models_verdicts_too(name: str) -> None:
    known = [answers_of(right, 400) for right in SHARES]
    found = [held_by(each, opinions_of(each, USERS[name]), model=model_of(each, "lenient"), draws=40) for each in known]
    assert np.mean([each.covered for each in found]) >= 0.88


def test_they_hold_where_only_doubtful_answers_and_the_questions_of_few_people_get_feedback() -> None:
    covered: list[float] = []
    for right in SHARES:
        known = answers_of(right, 700, copies=7)
        opinions = opinions_of(known, USERS["praise wrong numbers"])
        dice = np.random.default_rng(1)
        talkative = np.repeat(dice.random(100) < 0.3, 7) & (known.p_correct < np.median(known.p_correct))
        heard = [each if spoken else 0 for each, spoken in zip(opinions, talkative.tolist(), strict=True)]
        covered.append(held_by(known, heard, draws=100).covered)
    assert np.mean(covered) >= 0.88


@pytest.mark.parametrize("labels", [30, 60])
def test_feedback_that_tells_something_narrows_the_interval_and_other_feedback_hardly_widens_it(labels: int) -> None:
    """It may tell it the wrong way round: labels find that out. Prints figures of docs/trust.md."""
    known = [answers_of(right, 700) for right in (0.3, 0.55, 0.8)]
    found = {
        name: [held_by(each, opinions_of(each, users), labels=labels, draws=60) for each in known]
        for name, users in USERS.items()
    }
    widths = {name: float(np.mean([each.width for each in of_users])) for name, of_users in found.items()}
    covered = {name: round(float(np.mean([each.covered for each in of_users])), 3) for name, of_users in found.items()}
    print(labels, {name: round(width, 3) for name, width in widths.items()}, covered)
    assert widths["telling"] < 0.9 * widths["silent"]
    assert widths["praise wrong numbers"] < 0.95 * widths["silent"]
    assert max(widths.values()) < 1.03 * widths["silent"]


def test_without_labels_feedback_moves_nothing() -> None:
    scores = replace(Probabilities.of([0.8] * 50), complained=0.9)
    found = estimate_group(AnswerGroup(scores=scores, labels=[]), level=LEVEL)
    assert (found.share, found.low, found.high, found.method, found.heard) == (None, 0.0, 1.0, Method.NO_LABELS, 0)


def test_where_labels_are_all_alike_feedback_is_not_believed() -> None:
    scores = replace(Probabilities.of([0.5, 0.9] * 50), complained=0.5)
    labels = [LabelledScore(right=1, p=0.5, opinion=-1)] * 12
    silent = estimate_group(AnswerGroup(scores=replace(scores, complained=0.0), labels=labels), level=LEVEL)
    assert estimate_group(AnswerGroup(scores=scores, labels=labels), level=LEVEL) == silent


def test_users_who_complain_more_than_in_the_labelled_answers_lower_the_estimate() -> None:
    known = Known(np.repeat([1.0, 0.0], 20), np.full(40, 0.7))
    labels = [LabelledScore(right=float(each), p=0.7, opinion=0 if each else -1) for each in known.right]
    scores = replace(Probabilities.of([0.7] * 400), complained=0.7)
    found = estimate_group(AnswerGroup(scores=scores, labels=labels), level=LEVEL)
    assert found.share is not None
    assert 0.3 <= found.share < 0.4
    assert (found.method, found.heard) == (Method.PPI, 280)


def test_labels_of_what_users_complain_of_are_no_random_draw() -> None:
    scores = replace(Probabilities.of([0.8] * 500), complained=0.05)
    picked = [LabelledScore(right=0, p=0.8, opinion=-1)] * 12
    drawn = [LabelledScore(right=1, p=0.8, opinion=0)] * 12
    assert usable_labels(AnswerGroup(scores=scores, labels=picked)) == []
    assert usable_labels(AnswerGroup(scores=scores, labels=drawn)) == drawn
