"""The share of right answers: intervals hold at any number of labels, and labels that are no random draw are seen."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest, hypergeom

from evals.estimate.exact_intervals import of_population, of_sample
from evals.estimate.groups import AnswerGroup, NotRandomError, estimate_group, estimate_groups, usable_labels
from evals.estimate.random_draw import Draw, unlikely_draws
from evals.estimate.right_share import Heard, LabelledScore, Method, estimate_share
from evals.estimate.score_counts import Probabilities, ScoreCounts
from tests.evals.drawn_labels import LEVEL, drawn, made_answers

JUDGES = ("useless", "mild", "good", "anti-correlated", "constant")


@pytest.mark.parametrize(("answers", "labelled"), [(25, 1), (25, 10), (25, 24), (60, 30), (250, 10)])
def test_the_exact_interval_holds_every_share_as_often_as_it_says(answers: int, labelled: int) -> None:
    intervals = [of_population(found, labelled, answers, LEVEL) for found in range(labelled + 1)]
    for right in range(answers + 1):
        chances = hypergeom.pmf(range(labelled + 1), answers, right, labelled)
        held = sum(
            chance
            for chance, (low, high) in zip(chances, intervals, strict=True)
            if low <= right / answers + 1e-12 and right / answers <= high + 1e-12
        )
        assert held >= LEVEL - 1e-9, right


def test_the_interval_of_a_sample_is_clopper_and_pearsons() -> None:
    known = binomtest(7, 10).proportion_ci(LEVEL, method="exact")
    assert of_sample(0.7, 10, LEVEL) == pytest.approx((known.low, known.high))


@pytest.mark.parametrize("label", [0, 1])
def test_one_label_and_equal_labels_leave_room(label: int) -> None:
    answers = Probabilities.of([0.5, 0.9] * 100)
    widths = []
    for count in (1, 5, 20, 100):
        found = estimate_share(answers, [LabelledScore(right=label, p=0.9, place=90)] * count, level=LEVEL)
        assert found.method is Method.EXACT
        assert found.low <= label <= found.high
        widths.append(found.high - found.low)
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 0.9
    assert 0 < widths[-1] < 0.03


def test_all_answers_labelled_leave_no_doubt() -> None:
    labels = [LabelledScore(right=place % 2, p=0.5, place=50) for place in range(8)]
    found = estimate_share(Probabilities.of([0.5] * 8), labels, level=LEVEL)
    assert (found.share, found.low, found.high, found.method) == (0.5, 0.5, 0.5, Method.COMPLETE)


def test_a_tie_between_reviewers_counts_half_and_widens_the_interval() -> None:
    answers = Probabilities.of([0.5] * 50)
    clear = [LabelledScore(right=1, p=0.5, place=50)] * 6 + [LabelledScore(right=0, p=0.5, place=50)] * 3
    tied = estimate_share(answers, [*clear, LabelledScore(right=0.5, p=0.5, place=50)], level=LEVEL)
    right, wrong = (
        estimate_share(answers, [*clear, LabelledScore(right=r, p=0.5, place=50)], level=LEVEL) for r in (1, 0)
    )
    assert (tied.low, tied.high) == (wrong.low, right.high)
    assert tied.share == pytest.approx(0.65)


@pytest.mark.parametrize("answers", [25, 250])
def test_the_bounds_are_shares_that_can_occur(answers: int) -> None:
    known, dice = made_answers(0.8, answers, "good"), np.random.default_rng(3)
    chosen = dice.choice(answers, 20, replace=False)
    labels = [LabelledScore(right=float(known.right[at]), p=float(known.p_correct[at])) for at in chosen]
    found = estimate_share(Probabilities.of(known.p_correct.tolist()), labels, level=LEVEL)
    right = known.right[chosen].sum()
    for bound in (found.low, found.high):
        assert bound * answers == pytest.approx(round(bound * answers))
        assert right <= round(bound * answers) <= answers - (20 - right)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.95])
def test_a_better_judge_narrows_the_interval_and_a_useless_one_harms_little(share: float) -> None:
    widths = {judge: drawn(made_answers(share, 250, judge), 30, draws=40).width for judge in JUDGES}
    assert widths["good"] <= widths["mild"] * 1.01
    assert widths["useless"] <= widths["constant"] * 1.05
    if share < 0.9:
        assert widths["good"] < 0.8 * widths["constant"]


def test_labels_drawn_with_recorded_probabilities_are_unbiased() -> None:
    known = made_answers(0.7, 400, "mild")
    found = drawn(known, 40, draws=120, design=lambda scores: 0.1 + 4 * scores * (1 - scores))
    assert abs(found.bias) < 0.015
    assert found.covered >= 0.88
    as_if_alike = drawn(known, 40, draws=120, design=lambda scores: 1.05 - scores)
    assert abs(as_if_alike.bias) < 0.02


def test_scores_of_no_worth_and_of_none_are_read() -> None:
    answers = Probabilities.of([None] * 40)
    labels = [LabelledScore(right=place % 3 > 0, p=None) for place in range(12)]
    assert estimate_share(answers, labels, level=LEVEL).share == pytest.approx(8 / 12)


def test_without_labels_nothing_is_claimed() -> None:
    found = estimate_group(AnswerGroup(scores=Probabilities.of([0.65] * 200), labels=()), level=LEVEL)
    assert (found.share, found.low, found.high, found.method) == (None, 0.0, 1.0, Method.NO_LABELS)


def places(answers: int) -> list[int]:
    return (np.sort(np.random.default_rng(answers).beta(4, 2.2, answers)) * 100).astype(int).tolist()


@pytest.mark.parametrize("labels", [10, 30])
@pytest.mark.parametrize("end", ["lowest", "highest", "middle"])
def test_the_worst_the_best_and_the_doubtful_answers_are_no_random_draw(labels: int, end: str) -> None:
    all_places = places(250)
    first = {"lowest": 0, "highest": 250 - labels, "middle": 125 - labels // 2}[end]
    draw = Draw(answers=ScoreCounts.of(all_places), places=all_places[first : first + labels])
    assert unlikely_draws([draw]) == [0] or (end, labels) == ("middle", 10)


@pytest.mark.slow  # a simulation
def test_a_random_draw_is_refused_at_most_once_in_a_thousand() -> None:
    dice, refused = np.random.default_rng(8), 0
    for answers, labels in product((25, 250), (5, 10, 24)):
        all_places = places(answers)
        counts = ScoreCounts.of(all_places)
        for _ in range(40):
            chosen = dice.choice(all_places, labels, replace=False).tolist()
            refused += len(unlikely_draws([Draw(answers=counts, places=chosen)]))
    assert refused == 0


def test_small_shifts_of_many_groups_are_seen_together() -> None:
    dice, all_places = np.random.default_rng(2), np.array(places(250))
    chances = 1.15 - all_places / 100
    draws = [
        Draw(
            answers=ScoreCounts.of(all_places.tolist()),
            places=dice.choice(all_places, 30, False, chances / chances.sum()).tolist(),
        )
        for _ in range(10)
    ]
    assert unlikely_draws(draws) == list(range(10))


def group(labels: list[LabelledScore]) -> AnswerGroup:
    probabilities, counts = Probabilities.of(place / 100 for place in places(250)), ScoreCounts.of(places(250))
    return AnswerGroup(scores=probabilities, places=counts, labels=labels)


def test_labels_of_which_only_some_have_a_probability_are_refused_or_left_out() -> None:
    recorded = [LabelledScore(right=1, p=0.7, place=70, probability=0.1)] * 3
    mixed = group([*recorded, LabelledScore(right=0, p=0.2, place=20)])
    with pytest.raises(NotRandomError, match="3 labels have a probability and 1 have none"):
        estimate_groups({"a": mixed}, level=LEVEL, random=True)
    assert usable_labels(mixed) == recorded


def test_a_first_recorded_label_does_not_make_many_others_useless() -> None:
    others = [LabelledScore(right=place % 3 > 0, p=place / 250, place=place) for place in range(0, 250, 10)]
    recorded = [LabelledScore(right=1, p=0.5, place=50, probability=0.1)] * 20
    for count, usable in ((0, others), (1, others), (19, others), (20, recorded)):
        assert usable_labels(group([*others, *recorded[:count]])) == usable


def test_equal_recorded_probabilities_do_not_hide_that_the_worst_answers_were_chosen() -> None:
    for probability in (None, 0.2):
        worst = group(
            [LabelledScore(right=0, p=place / 100, place=place, probability=probability) for place in range(15, 40)]
        )
        with pytest.raises(NotRandomError, match="other scores than a random draw"):
            estimate_groups({"a": worst}, level=LEVEL, random=False)
        assert estimate_groups({"a": worst}, level=LEVEL, random=True)["a"].labels == 25
    assert usable_labels(group([LabelledScore(right=0, p=place / 100, place=place) for place in range(15, 40)])) == []


@pytest.mark.parametrize(
    ("of_right", "of_wrong", "narrower"),
    [(0.05, 0.9, 0.9), (0.3, 0.3, 1.01), (0.9, 0.05, 0.9)],
    ids=["true", "noise", "reversed"],
)
def test_feedback_narrows_the_interval_as_far_as_labels_go_with_it(
    of_right: float, of_wrong: float, narrower: float
) -> None:
    """Users complain of right and of wrong answers this often; half of the answers have feedback."""
    draw = np.random.default_rng(3)
    covered, widths = np.zeros(2), np.zeros(2)
    for _ in range(300):
        right = draw.random(800) < 0.7
        said = np.where(draw.random(800) < np.where(right, of_right, of_wrong), -1, 1) * (draw.random(800) < 0.5)
        answers = Probabilities.of([0.7] * 800)
        labels = [
            LabelledScore(right=float(right[at]), p=0.7, heard=int(said[at])) for at in draw.choice(800, 60, False)
        ]
        heard = Heard(satisfied=int((said > 0).sum()), dissatisfied=int((said < 0).sum()))
        for place, given in enumerate((None, heard)):
            found = estimate_share(answers, labels, level=LEVEL, heard=given)
            covered[place] += found.low - 1e-9 <= right.mean() <= found.high + 1e-9
            widths[place] += found.high - found.low
    assert covered[1] >= 0.87 * 300
    assert widths[1] <= narrower * widths[0]


def test_feedback_on_few_labelled_answers_changes_nothing() -> None:
    answers, labels = Probabilities.of([0.6] * 100), [LabelledScore(right=i % 2, p=0.6, heard=i < 9) for i in range(30)]
    heard = Heard(satisfied=80, dissatisfied=0)
    assert estimate_share(answers, labels, level=LEVEL, heard=heard) == estimate_share(answers, labels, level=LEVEL)


def test_the_same_feedback_on_every_answer_says_nothing() -> None:
    answers, labels = Probabilities.of([0.6] * 100), [LabelledScore(right=i % 2, p=0.6, heard=1) for i in range(32)]
    heard = Heard(satisfied=100, dissatisfied=0)
    assert estimate_share(answers, labels, level=LEVEL, heard=heard) == estimate_share(answers, labels, level=LEVEL)


@pytest.mark.slow  # a campaign over shapes
@pytest.mark.parametrize("labels", [1, 10, 30])
def test_intervals_hold_for_judges_and_shares_of_every_kind(labels: int) -> None:
    found = {
        (share, answers, judge): drawn(made_answers(share, answers, judge), min(labels, answers - 1), draws=60)
        for share, answers, judge in product((0.04, 0.2, 0.5, 0.8, 0.95), (25, 250), JUDGES)
    }
    worst = min(found.items(), key=lambda each: each[1].covered)
    assert worst[1].covered >= 0.8, worst
    assert np.mean([each.covered for each in found.values()]) >= 0.9


@pytest.mark.parametrize("tiny", [5e-324, 1e-300, 1e-12])
@pytest.mark.parametrize("right", [(1, 0), (1, 1, 0, 0, 1), (0,)])
def test_hardly_possible_draws_are_no_nonsense(tiny: float, right: tuple[int, ...]) -> None:
    answers = Probabilities.of([0.9] * 10 + [0.2] * 10)
    probabilities = [tiny, *[1.0] * (len(right) - 1)]
    labels = [
        LabelledScore(right=each, p=0.9, probability=drawn) for each, drawn in zip(right, probabilities, strict=True)
    ]
    found = estimate_share(answers, labels, level=0.9)
    assert found.share is not None
    assert 0 <= found.low <= found.share <= found.high <= 1
