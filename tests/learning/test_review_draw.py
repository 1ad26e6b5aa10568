"""The probability that is recorded for a drawn answer is the one with which it is drawn."""

from __future__ import annotations

import random
import uuid
from typing import Any

import pytest

from learning.review_draw import UNIFORM, Unlabelled, numbers_of, probability, rate_for, share_of


def answers(count: int, seed: int = 1) -> list[tuple[uuid.UUID, float, bool]]:
    """Answers with their shares, of which those that are likely to be drawn are more often wrong."""
    draw = random.Random(seed)
    found: list[tuple[uuid.UUID, float, bool]] = []
    for _ in range(count):
        p = draw.uniform(0.05, 0.97)
        share = share_of(Unlabelled(p_alone=p, p_correct=p, least=p, most=p))
        found.append((uuid.UUID(int=draw.getrandbits(128)), share, draw.random() < 1.2 - share))
    return found


@pytest.mark.slow  # a simulation
def test_weighted_by_the_recorded_probability_samples_are_unbiased_and_unweighted_ones_are_not():
    population = answers(400)
    true = sum(right for _, _, right in population) / len(population)
    weighted, plain = [], []
    for trial in range(400):
        secret = trial.to_bytes(32)
        sample: dict[uuid.UUID, tuple[float, bool]] = {}
        # three draws, each twice as large: what counts is the highest probability of an answer
        for wanted in (15, 30, 60):
            rate = rate_for([share for _, share, _ in population], wanted)
            for event, share, right in population:
                if numbers_of(secret, event)[0] < probability(share, rate):
                    sample[event] = (probability(share, rate), right)
        weighted.append(sum(right / p for p, right in sample.values()) / len(population))
        plain.append(sum(right for _, right in sample.values()) / len(sample))
    assert abs(sum(weighted) / len(weighted) - true) < 0.01
    assert abs(sum(plain) / len(plain) - true) > 0.02


def test_each_answer_is_drawn_as_often_as_is_recorded():
    population = answers(60)
    rate = rate_for([share for _, share, _ in population], 20)
    counts = dict.fromkeys((event for event, _, _ in population), 0)
    trials = 3000
    for trial in range(trials):
        for event, share, _ in population:
            counts[event] += numbers_of(trial.to_bytes(32), event)[0] < probability(share, rate)
    for event, share, _ in population:
        assert abs(counts[event] / trials - probability(share, rate)) < 0.045


@pytest.mark.parametrize("wanted", [1, 5, 29, 50, 99])
def test_the_sample_has_the_expected_size(wanted):
    shares = [share for _, share, _ in answers(100)]
    rate = rate_for(shares, wanted)
    assert sum(probability(share, rate) for share in shares) == pytest.approx(wanted)
    assert all(probability(share, rate) >= UNIFORM * probability(1.0, rate) for share in shares)


@pytest.mark.parametrize("wanted", [100, 1000])
def test_a_small_population_is_taken_whole(wanted):
    shares = [share for _, share, _ in answers(100)]
    rate = rate_for(shares, wanted)
    assert [probability(share, rate) for share in shares] == [1.0] * 100


def test_the_place_in_the_line_says_nothing_about_the_answer():
    """Who stops early has labelled a random part: the mean share of the first half is that of all."""
    population = answers(4000)
    rate = rate_for([share for _, share, _ in population], 2000)
    sample = []
    for event, share, _ in population:
        number, place = numbers_of(b"secret", event)
        if number < probability(share, rate):
            sample.append((place, share))
    first = [share for _, share in sorted(sample)[: len(sample) // 2]]
    everything = [share for _, share in sample]
    assert sum(first) / len(first) == pytest.approx(sum(everything) / len(everything), abs=0.02)


def test_disagreement_is_labelled_first():
    sure: dict[str, Any] = {"p_alone": 0.97, "p_correct": 0.97, "least": 0.97, "most": 0.97}
    alone = share_of(Unlabelled(**sure))
    doubts: list[dict[str, Any]] = [{"p_correct": 0.6}, {"least": 0.3}, {"reference": False}]
    for doubt in doubts:
        assert share_of(Unlabelled(**(sure | doubt))) > alone
    assert share_of(Unlabelled(**sure, reference=True)) == alone
