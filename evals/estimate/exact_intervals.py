"""Intervals of a share that hold at any number of labels, also where all labels are equal."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, exp, floor, lgamma

from scipy.special import betaincinv

_NOTHING = 1e-17
"""A term this small beside a sum does not change it, nor do the smaller ones that follow."""


@lru_cache(maxsize=4096)
def of_population(right: float, labelled: int, answers: int, level: float) -> tuple[float, float]:
    """The interval of the share right among `answers`, of which `labelled` were drawn at random and `right` are right.

    Both tails of the hypergeometric distribution are inverted (Clopper and Pearson's method for a finite population):
    a share is in the interval unless a draw as extreme has a chance below (1 − level) ÷ 2.
    A half of a right answer widens the interval to both sides.

    >>> of_population(10, 10, 10, 0.9), of_population(1, 1, 50, 0.9)
    ((1.0, 1.0), (0.06, 1.0))
    """
    tail = (1 - level) / 2

    def fewest_of(found: int) -> int:
        most = answers - (labelled - found)
        return _first(found, most, lambda total: chance_of_at_least(found, total, labelled, answers) > tail)

    return fewest_of(floor(right)) / answers, 1 - fewest_of(labelled - ceil(right)) / answers


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The first number from `low` to `high` for which a condition holds that stays true; `high` where none does."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def chance_of_at_least(count: int, total: int, drawn: int, answers: int) -> float:
    """The chance to draw at least `count` of the `total` answers of a kind, with `drawn` of all `answers`.

    >>> round(chance_of_at_least(1, 5, 2, 10), 4), chance_of_at_least(0, 5, 2, 10), chance_of_at_least(3, 5, 2, 10)
    (0.7778, 1.0, 0.0)
    """
    others = answers - total
    low, high = max(count, drawn - others), min(drawn, total)
    if low > high:
        return 0.0
    # from the likeliest number on, whose chance is not too small for a float
    start = min(max((drawn + 1) * (total + 1) // (answers + 2), low), high)
    at = exp(_log_ways(total, start) + _log_ways(others, drawn - start) - _log_ways(answers, drawn))
    chance = term = at
    for found in range(start, high):
        term *= (total - found) * (drawn - found) / ((found + 1) * (others - drawn + found + 1))
        chance += term
        if term < chance * _NOTHING:
            break
    term = at
    for found in range(start, low, -1):
        term *= found * (others - drawn + found) / ((total - found + 1) * (drawn - found + 1))
        chance += term
        if term < chance * _NOTHING:
            break
    return min(1.0, chance)


def _log_ways(of: int, choose: int) -> float:
    """The logarithm of the number of ways to choose."""
    return lgamma(of + 1) - lgamma(choose + 1) - lgamma(of - choose + 1)


def of_sample(share: float, size: float, level: float) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share found in a sample of an effective `size`, which may be a fraction.

    Korn and Graubard (1998) use it so for samples with unequal weights.

    >>> [round(bound, 3) for bound in of_sample(0.5, 10, 0.9)], [round(bound, 3) for bound in of_sample(1, 5, 0.9)]
    ([0.222, 0.778], [0.549, 1.0])
    """
    tail, right = (1 - level) / 2, share * size
    wrong = size - right
    low = float(betaincinv(right, wrong + 1, tail)) if right > 0 else 0.0
    high = float(betaincinv(right + 1, wrong, 1 - tail)) if wrong > 0 else 1.0
    return low, high
