"""Labels, a model's verdicts and local scores under one number: the interval holds whichever of them is biased."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from evals.estimate.exact_intervals import chance_of_at_least
from evals.estimate.groups import AnswerGroup, NotRandomError, estimate_group, estimate_groups
from evals.estimate.layered_share import estimate_layers
from evals.estimate.model_drift import model_drift
from evals.estimate.model_sample import ModelSample, ModelVerdict
from evals.estimate.narrowing import narrowing
from evals.estimate.right_share import LabelledScore, Method, estimate_share
from evals.estimate.score_counts import Probabilities, ScoreCounts, hundredth
from tests.evals.drawn_labels import LEVEL, Known
from tests.evals.judged_draws import MODELS, Draws, answers_of, held, model_of

SHARES = (0.01, 0.05, 0.27, 0.55, 0.8, 0.95, 0.99)


@pytest.mark.parametrize("name", [*MODELS, "changing"])
def test_thirty_labels_hold_whatever_the_model_says(name: str) -> None:
    found = [
        held(known, model_of(known, name), Draws(draws=80)) for known in (answers_of(0.8, 220), answers_of(0.3, 700))
    ]
    assert np.mean([each.covered for each in found]) >= 0.88
    assert max(abs(each.bias) for each in found) < 0.03


def test_a_good_model_narrows_the_interval_of_thirty_labels_to_fourteen_points() -> None:
    """With shares and numbers of answers as agents have in a set of benchmarks/everyday."""
    known = [answers_of(right, 220) for right in (0.32, 0.55, 0.73, 0.85, 1.0)]
    good = [held(each, model_of(each, "good"), Draws(draws=60)) for each in known]
    blind = [held(each, model_of(each, "blind"), Draws(draws=60)) for each in known]
    assert np.mean([each.width for each in good]) <= 0.14
    assert np.mean([each.width for each in blind]) > 0.2
    assert np.mean([each.covered for each in good]) >= 0.88


def test_eighteen_labels_and_a_good_model_narrow_it_to_twenty_points() -> None:
    """Ten leave .30: docs/adr/0070 says why nothing is borrowed from other agents."""
    known = [answers_of(right, 220) for right in (0.32, 0.55, 0.73, 0.85, 1.0)]
    found = [held(each, model_of(each, "good"), Draws(draws=60, labels=18)) for each in known]
    assert np.mean([each.width for each in found]) <= 0.2
    assert min(each.covered for each in found) >= 0.85


@pytest.mark.parametrize("name", ["harsh", "lenient", "always right"])
def test_ten_labels_hold_for_an_agent_about_which_the_model_errs(name: str) -> None:
    known = [answers_of(0.55, 220, seed=seed) for seed in range(6)]
    how = Draws(draws=40, labels=10)
    found = [held(each, model_of(each, name, seed=at), how, seed=at) for at, each in enumerate(known)]
    assert np.mean([each.covered for each in found]) >= 0.85


def test_ten_labels_cannot_rule_out_a_model_that_errs_about_a_sixth_of_the_answers() -> None:
    """Of 37 mistakes to one side they show none in .15 of draws, so intervals that hold at .85 must reach that far.

    To both sides, since nobody sees to which the model errs.
    """
    answers, labels, mistakes = 220, 10, 37
    assert 1 - chance_of_at_least(1, mistakes, labels, answers) >= 0.15
    widths = [
        min(said, mistakes / answers) + min(1 - said, mistakes / answers) for said in (0.34, 0.55, 0.71, 0.82, 0.95)
    ]
    assert np.mean(widths) > 0.3


@pytest.mark.slow  # a campaign over models, shares and designs
@pytest.mark.parametrize(
    "how",
    [
        Draws(draws=25),
        Draws(draws=25, labels=10),
        Draws(draws=25, nested=False),
        Draws(draws=25, nested=False, directed=True),
        Draws(draws=25, labels=10, nested=False, directed=True),
        Draws(draws=25, level=0.998),
    ],
    ids=["nested", "ten", "apart", "directed", "directed-ten", "sure"],
)
@pytest.mark.parametrize("copies", [1, 8])
def test_intervals_hold_from_one_to_ninety_nine_percent_right(how: Draws, copies: int) -> None:
    """Prints the figures of docs/trust.md. Copies are answers that depend on each other."""
    cells = list(product((220, 704), SHARES, [*MODELS, "changing"]))
    covered: dict[str, list[float]] = {}
    widths: list[float] = []
    for answers, right, name in cells:
        for seed in range(4):
            known = answers_of(right, answers, copies=copies, seed=seed)
            found = held(known, model_of(known, name, seed=seed), how, seed=seed)
            covered.setdefault(name, []).append(found.covered)
            if name == "good":
                widths.append(found.width)
    means = {name: round(float(np.mean(each)), 3) for name, each in covered.items()}
    print(how, copies, means, f"width with a good model {np.mean(widths):.3f}")
    assert min(means.values()) >= 0.88
    worst = min(float(np.mean(each[at : at + 4])) for each in covered.values() for at in range(0, len(each), 4))
    assert worst >= 0.8


def test_without_a_rare_label_the_model_is_not_believed() -> None:
    answers = Probabilities.of([0.5, 0.9] * 100)
    sample = ModelSample.of([ModelVerdict(0.95, 0.9)] * 150, answers)
    labels = [LabelledScore(right=1, p=0.9, model=0.95)] * 30
    found = estimate_layers(answers, labels, sample, level=LEVEL)
    assert found == estimate_share(answers, labels, level=LEVEL)
    assert (found.method, found.verdicts) == (Method.EXACT, 0)


def labelled(known: Known, model: np.ndarray, count: int, *, judged: int) -> list[LabelledScore]:
    return [
        LabelledScore(
            right=float(known.right[at]), p=float(known.p_correct[at]), model=float(model[at]) if at < judged else None
        )
        for at in range(count)
    ]


@pytest.mark.parametrize(
    ("judged", "verdicts", "method"), [(30, 150, "ppi++ with model"), (5, 150, "ppi++"), (30, 31, "ppi++")]
)
def test_numbers_alone_decide_whether_the_model_is_used(judged: int, verdicts: int, method: str) -> None:
    known = answers_of(0.7, 300)
    model, answers = model_of(known, "good"), Probabilities.of(known.p_correct.tolist())
    said = [ModelVerdict(float(p), float(local)) for p, local in zip(model, known.p_correct, strict=True)][:verdicts]
    group = AnswerGroup(
        scores=answers, labels=labelled(known, model, 30, judged=judged), model=ModelSample.of(said, answers)
    )
    found = estimate_group(group, level=LEVEL)
    assert (found.method.value, found.labels) == (method, 30)
    assert found.verdicts == (verdicts if method == "ppi++ with model" else 0)


def test_verdicts_on_the_worst_answers_without_a_probability_are_refused() -> None:
    known = answers_of(0.7, 300)
    worst = np.argsort(known.p_correct)[:100]
    answers = Probabilities.of(known.p_correct.tolist())
    group = AnswerGroup(
        scores=answers,
        places=ScoreCounts.of(hundredth(each) for each in known.p_correct.tolist()),
        labels=(),
        model=ModelSample.of([ModelVerdict(0.5, float(known.p_correct[at])) for at in worst], answers),
        asked=[hundredth(float(known.p_correct[at])) for at in worst],
    )
    with pytest.raises(NotRandomError, match="group a: the answers with a model's verdict have other scores"):
        estimate_groups({"a": group}, level=LEVEL, random=False)
    assert estimate_groups({"a": group}, level=LEVEL, random=True)["a"].share is None


def test_so_many_more_labels_or_calls_do_narrow_it_to_five_points() -> None:
    known = answers_of(0.7, 4000)
    model, answers = model_of(known, "good"), Probabilities.of(known.p_correct.tolist())

    def found(labels: int, calls: int) -> tuple[float, int | None, int | None]:
        halves, more = [], None
        for seed in range(12):
            chosen = np.random.default_rng(seed).permutation(len(known.right))
            said = [ModelVerdict(float(model[at]), float(known.p_correct[at])) for at in chosen[:calls]]
            sample = ModelSample.of(said, answers)
            drawn = Known(known.right[chosen], known.p_correct[chosen])
            made = estimate_layers(answers, labelled(drawn, model[chosen], labels, judged=labels), sample, level=LEVEL)
            halves.append((made.high - made.low) / 2)
            more = narrowing(made, len(known.right), sample)
        assert more is not None
        return float(np.mean(halves)), more.labels, more.calls

    half, more_labels, more_calls = found(100, 250)
    assert half > 0.05
    assert more_labels is not None
    assert more_calls is not None
    assert found(100 + more_labels, 250)[0] == pytest.approx(0.05, abs=0.012)
    assert found(100, 250 + more_calls)[0] == pytest.approx(0.05, abs=0.012)
    assert found(1500, 3500)[1:] == (0, 0)


def test_a_model_that_became_worse_is_seen_by_its_labels_and_chance_is_not() -> None:
    dice = np.random.default_rng(5)
    alarms = 0
    for _ in range(300):
        found = model_drift((dice.random(60) < 0.93).tolist())
        assert found is not None
        alarms += found.worse
    assert alarms <= 6
    worse = model_drift((dice.random(60) < np.where(np.arange(60) < 30, 0.97, 0.5)).tolist())
    assert worse is not None
    assert worse.worse
