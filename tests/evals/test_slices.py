"""Slices: a planted fault is found, nothing is found where there is none, and few of many marks are chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

import numpy as np
import pytest
from numpy.random import Generator
from scipy.stats import hypergeom

from evals.slices.changes import PeriodAnswers, changes
from evals.slices.counts import AgentLoss, Loss, SliceCounts, SliceKind
from evals.slices.significance import (
    FALSE_DISCOVERIES,
    LEAST_QUESTIONS,
    chances_of_more,
)
from evals.slices.since import DayLoss, worse_since
from evals.slices.worst import SliceReport, worst_slices

QUESTIONS, SLICES, RUNS = 400, 60, 90
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def loss_of(losses: Sequence[float]) -> Loss:
    n, (total, squares, cubes) = len(losses), (float(sum(each**power for each in losses)) for power in (1, 2, 3))
    return Loss(answers=n, questions=n, loss=total, question_loss=total, squares=squares, cubes=cubes)


def agent(losses: Sequence[float], name: str = "crumb") -> AgentLoss:
    whole = loss_of(losses)
    nobody = {"labelled": 0, "labelled_wrong": 0, "complained": 0}
    return AgentLoss(tenant="t", agent=name, all=whole, **nobody, first=NOON, last=NOON)


def counts(value: str, own: Sequence[float], kind: SliceKind = SliceKind.TABLE, members: str = "") -> SliceCounts:
    return SliceCounts(
        tenant="t",
        agent="crumb",
        kind=kind,
        value=value,
        own=loss_of(own),
        labelled=0,
        labelled_wrong=0,
        complained=0,
        members=members or value,
        example="",
    )


def p_of_judge(dice: Generator, wrong: np.ndarray, graded: bool) -> np.ndarray:
    """1 − p: certain, or spread as a judge's probabilities are."""
    return np.where(wrong, dice.beta(6, 2, wrong.shape), dice.beta(2, 10, wrong.shape)) if graded else wrong * 1.0


def simulated(dice: Generator, planted: int, *, graded: bool) -> SliceReport:
    """An agent with slices of 5 to 120 questions, of which `planted` have half of their answers wrong."""
    member = np.zeros((SLICES, QUESTIONS), dtype=bool)
    for place in range(SLICES):
        size = 40 if place < planted else int(dice.integers(LEAST_QUESTIONS, 120))
        member[place, dice.choice(QUESTIONS, size, replace=False)] = True
    wrong = dice.random(QUESTIONS) < np.where(member[:planted].any(axis=0), 0.5, 0.08)
    losses = p_of_judge(dice, wrong, graded)
    found = [counts(str(place), losses[own].tolist()) for place, own in enumerate(member)]
    return worst_slices([agent(losses.tolist())], found)


def marked(report: SliceReport) -> set[int]:
    return {int(each.counts.value) for each in report.slices if each.sure}


@pytest.mark.slow  # a simulation
@pytest.mark.parametrize("graded", [False, True])
def test_where_no_slice_is_worse_hardly_any_is_marked(graded):
    dice = np.random.default_rng(5)
    with_any = sum(bool(marked(simulated(dice, 0, graded=graded))) for _ in range(RUNS))
    # if every slice is alike, the false discovery rate is the chance of any mark
    assert with_any / RUNS <= FALSE_DISCOVERIES


@pytest.mark.slow  # takes over a second
@pytest.mark.parametrize("graded", [False, True])
def test_planted_slices_are_found_first_and_few_others_are_marked(graded):
    dice = np.random.default_rng(6)
    found: list[float] = []
    false: list[float] = []
    first: list[float] = []
    for _ in range(RUNS // 3):
        report = simulated(dice, 3, graded=graded)
        sure = marked(report)
        found.append(len(sure & {0, 1, 2}) / 3)
        false.append(len(sure - {0, 1, 2}) / max(1, len(sure)))
        first.append(len({int(each.counts.value) for each in report.slices[:3]} & {0, 1, 2}) / 3)
    assert np.mean(found) > 0.8
    assert np.mean(false) <= FALSE_DISCOVERIES
    assert np.mean(first) > 0.8


def test_one_certainly_wrong_answer_of_few_is_not_marked_and_hardly_counts():
    rest = [0.05] * 200
    few = counts("rare", [0.95])
    five = counts("five", [0.95, *[0.05] * 4])
    report = worst_slices([agent([*rest, 0.95])], [few, five])
    assert [each.counts.value for each in report.slices] == ["five"]
    assert (report.few, report.tested) == (1, 1)
    assert report.slices[0].lost < 0.5
    many = [counts(f"five {place}", [0.05] * 5) for place in range(20)]
    assert not any(each.sure for each in worst_slices([agent([*rest, 0.95])], [*many, five]).slices)


def test_a_rare_slice_with_the_same_share_loses_less_for_each_answer_than_a_frequent_one():
    rest = [0.1] * 300
    small, large = counts("small", [0.9] * 6), counts("large", [0.9] * 60)
    by_value = {
        each.counts.value: each.lost / each.counts.own.answers
        for each in worst_slices([agent(rest)], [small, large]).slices
    }
    assert 0 < by_value["small"] < by_value["large"] < 0.8


def test_slices_of_the_same_answers_are_tested_once_and_whole_agents_not_at_all():
    wrong, rest = [0.9] * 20, [0.1] * 80
    same = [
        counts("city =", wrong, SliceKind.CONDITION, members="x"),
        counts("ovens", wrong, SliceKind.TABLE, members="x"),
        counts("city", wrong, SliceKind.COLUMN, members="x"),
        counts("everything", [*wrong, *rest]),
    ]
    report = worst_slices([agent([*wrong, *rest])], same)
    [only] = report.slices
    assert (only.counts.value, only.same_as) == ("ovens", ("column city", "condition city ="))
    assert (report.tested, report.whole) == (1, 1)
    assert only.sure
    assert only.low < only.share < only.high


def test_a_slice_that_is_better_than_its_agent_loses_nothing():
    wrong, rest = [0.9] * 30, [0.1] * 30
    report = worst_slices([agent([*wrong, *rest])], [counts("good", rest)])
    assert report.slices[0].lost < 0
    assert not report.slices[0].sure


@pytest.mark.parametrize("level", [0.01, 0.001, 0.0001])
@pytest.mark.parametrize("rate", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("size", [5, 20, 100])
def test_a_chance_this_small_is_that_rare_where_answers_are_right_or_wrong(level, rate, size):
    """The sums of such answers are hypergeometric."""
    questions, wrong = 400, round(400 * rate)
    pool = loss_of([1.0] * wrong + [0.0] * (questions - wrong))
    chances = chances_of_more([(loss_of([1.0] * found + [0.0] * (size - found)), pool) for found in range(size + 1)])
    fewest = next((found for found, chance in enumerate(chances) if chance <= level), size + 1)
    assert float(hypergeom.sf(fewest - 1, questions, wrong, size)) <= 1.2 * level


def test_a_chance_is_that_of_all_permutations_where_answers_are_graded():
    dice = np.random.default_rng(8)
    losses = p_of_judge(dice, dice.random(300) < 0.1, graded=True)
    sums = np.sort([losses[dice.permutation(300)[:20]].sum() for _ in range(4000)])
    for share in (0.9, 0.99):
        own = [float(sums[int(share * len(sums))]) / 20] * 20
        assert 1 - share <= chances_of_more([(loss_of(own), loss_of(losses.tolist()))])[0] < 2.5 * (1 - share)


@pytest.mark.parametrize(
    ("own", "rest"), [([], []), ([0.5], []), ([], [0.1] * 9), ([0.5] * 5, [0.5] * 5), ([1.0], [0.0])]
)
def test_where_nothing_can_be_compared_nothing_is_found(own, rest):
    assert chances_of_more([(loss_of(own), loss_of([*own, *rest]))])[0] >= 0.5


def test_no_answers_are_no_slices():
    report = worst_slices([], [])
    assert (report.slices, report.tested) == ([], 0)
    assert changes(PeriodAnswers(agents=[], slices=[]), PeriodAnswers(agents=[], slices=[])).agents == []


# --- then and now


def period(found: Iterable[SliceCounts], losses: Sequence[float]) -> PeriodAnswers:
    return PeriodAnswers(agents=[agent(losses)], slices=list(found))


def test_what_got_worse_is_named_and_what_was_always_bad_is_not():
    bad, good = [0.8] * 40, [0.1] * 40
    before = period([counts("always", bad), counts("now", good)], [*bad, *good])
    after = period([counts(each, bad) for each in ("always", "now", "new")], [*bad, *bad])
    report = changes(after, before)
    by_value = {each.counts.value: each for each in report.slices}
    assert report.slices[0].counts.value == "now"
    assert by_value["now"].sure
    assert not by_value["always"].sure
    assert by_value["always"].lost == pytest.approx(0)
    assert by_value["new"].new
    assert by_value["new"].before.share == pytest.approx(0.45)
    [whole] = report.agents
    assert whole.sure
    assert whole.lost == pytest.approx(28)


def test_a_cause_got_worse_where_it_became_more_frequent_though_its_answers_always_were_wrong():
    def of(risen: int, steady: int) -> PeriodAnswers:
        causes = {"FILTER_MISSING": risen, "LIMIT_MISSING": steady, "NAME_UNUSED": steady // 4}
        found = [counts(code, [0.86] * often, SliceKind.REASON) for code, often in causes.items()]
        return period(found, [0.86] * (risen + steady) + [0.1] * (200 - risen - steady))

    report = changes(of(120, 24), of(12, 20))
    by_value = {each.counts.value: each for each in report.slices}
    first = by_value["FILTER_MISSING"]
    assert report.slices[0] is first
    assert first.sure
    assert not first.new
    assert (first.before.share, first.now.share) == pytest.approx((0.0516, 0.516))
    assert first.lost == pytest.approx(0.86 * 108, rel=0.06)
    # what had too few questions to be tested before is no new one
    assert not any(each.sure for each in report.slices if each is not first)


def test_a_cause_of_all_answers_now_is_compared_too():
    before = period([counts("FILTER_MISSING", [0.86] * 4, SliceKind.FAULT)], [0.86] * 4 + [0.1] * 36)
    [slice_] = changes(period([counts("FILTER_MISSING", [0.86] * 40, SliceKind.FAULT)], [0.86] * 40), before).slices
    assert slice_.sure
    assert slice_.before.share == pytest.approx(0.086)


def test_a_reason_that_blames_nothing_is_the_place_of_the_same_answers():
    wrong, rest = [0.9] * 20, [0.1] * 80
    found = [
        counts("LONG_QUESTION", wrong, SliceKind.REASON, members="x"),
        counts("two conditions", wrong, SliceKind.QUESTION, members="x"),
        counts("FILTER_MISSING", wrong, SliceKind.REASON, members="x"),
    ]
    report = worst_slices([agent([*wrong, *rest])], found)
    assert {(each.counts.value, each.same_as) for each in report.slices} == {
        ("two conditions", ("reason LONG_QUESTION",)),
        ("FILTER_MISSING", ()),
    }


def test_without_a_change_hardly_any_slice_is_marked():
    dice = np.random.default_rng(7)

    def half() -> PeriodAnswers:
        losses = p_of_judge(dice, dice.random(QUESTIONS) < 0.15, graded=True)
        parts = [dice.choice(losses, int(dice.integers(5, 100)), replace=False) for _ in range(30)]
        return period([counts(str(place), part.tolist()) for place, part in enumerate(parts)], losses.tolist())

    runs = [changes(half(), half()) for _ in range(RUNS // 3)]
    assert sum(any(each.sure for each in run.slices) for run in runs) / len(runs) <= FALSE_DISCOVERIES
    assert sum(run.agents[0].sure for run in runs) / len(runs) <= 0.1


def test_an_agent_without_answers_before_is_counted_and_not_compared():
    report = changes(period([counts("a", [0.9] * 9)], [0.9] * 9), PeriodAnswers(agents=[], slices=[]))
    assert (report.agents, report.slices, report.without_before) == ([], [], 1)


@pytest.mark.parametrize("change", [2, 9, 13])
def test_the_day_of_a_change_is_found(change):
    dice = np.random.default_rng(change)
    days = [
        DayLoss(day=date(2026, 3, day), answers=60, loss=float(dice.binomial(60, 0.1 if day < change else 0.45)))
        for day in range(1, 15)
    ]
    found = worse_since(days[::-1])
    assert found is not None
    assert abs(found.day.day - change) <= 1
    assert found.before < found.after


def test_days_that_only_get_better_have_no_such_day():
    better = [DayLoss(day=date(2026, 3, day), answers=9, loss=9 - day) for day in range(1, 9)]
    assert worse_since(better) is None
    assert worse_since(better[:1]) is None
    assert worse_since([]) is None
    assert worse_since([DayLoss(day=date(2026, 3, 1), answers=0, loss=0)] * 3) is None
