"""Agreement of two sides that call answers right or wrong: Cohen's κ, sensitivity and specificity, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evals.estimate.exact_intervals import of_sample

LEVEL = 0.9
"""How often an interval holds the true figure."""
_DRAWS = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A figure with its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledAnswer:
    """One answer that both sides called right or wrong."""

    wrong: bool
    """By the first side, such as people."""
    called_wrong: bool
    """By the second, such as the judge."""
    weight: float = 1.0
    """One over the probability with which the answer was drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement:
    """How far both sides agree."""

    answers: int
    size: float
    """The effective number of answers: fewer where weights differ."""
    both_wrong: float
    """Share of the answers."""
    missed: float
    """Wrong by the first side alone."""
    false_alarms: float
    """Wrong by the second side alone."""
    both_right: float
    kappa: Interval | None
    """Cohen's κ; `None` where a side calls all answers the same."""
    sensitivity: Interval | None
    """Share of the answers wrong by the first side that the second calls wrong; `None` without such answers."""
    specificity: Interval | None
    """Share of the answers right by the first side that the second calls right."""


def agreement(rows: Iterable[CalledAnswer]) -> LabelAgreement | None:
    """The figures of some answers; `None` of none.

    >>> found = agreement([CalledAnswer(wrong=n < 4, called_wrong=n < 3) for n in range(10)])
    >>> round(found.kappa.value, 3), found.sensitivity.value, found.specificity.value
    (0.783, 0.75, 1.0)
    """
    given = list(rows)
    if not given:
        return None
    weights = np.array([each.weight for each in given])
    wrong = np.array([each.wrong for each in given])
    called = np.array([each.called_wrong for each in given])
    cells = [wrong & called, wrong & ~called, ~wrong & called, ~wrong & ~called]
    shares = np.array([float(weights[cell].sum()) for cell in cells]) / float(weights.sum())
    size = _effective(weights)
    return LabelAgreement(
        answers=len(given),
        size=size,
        both_wrong=float(shares[0]),
        missed=float(shares[1]),
        false_alarms=float(shares[2]),
        both_right=float(shares[3]),
        kappa=_kappa_interval(shares, size),
        sensitivity=_share(weights[wrong], called[wrong]),
        specificity=_share(weights[~wrong], ~called[~wrong]),
    )


def _effective(weights: NDArray[np.float64]) -> float:
    """Kish's effective size.

    >>> _effective(np.array([2.0, 2.0])), _effective(np.array([1.0, 3.0]))
    (2.0, 1.6)
    """
    return float(weights.sum() ** 2 / (weights**2).sum())


def _share(weights: NDArray[np.float64], holds: NDArray[np.bool_]) -> Interval | None:
    if not len(weights):
        return None
    value = float(weights[holds].sum() / weights.sum())
    low, high = of_sample(value, _effective(weights), LEVEL)
    return Interval(value=value, low=low, high=high)


def _kappa(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """κ of tables whose last axis is both wrong, first alone, second alone, both right."""
    agreed = shares[..., 0] + shares[..., 3]
    first, second = shares[..., 0] + shares[..., 1], shares[..., 0] + shares[..., 2]
    chance = first * second + (1 - first) * (1 - second)
    return (agreed - chance) / np.maximum(1 - chance, 1e-12)


def _kappa_interval(shares: NDArray[np.float64], size: float) -> Interval | None:
    """κ with the interval of its posterior under Jeffreys's prior, which also holds where a cell is empty."""
    first, second = float(shares[0] + shares[1]), float(shares[0] + shares[2])
    if all(share <= 0 or share >= 1 for share in (first, second)):
        return None
    # the same answers give the same interval
    drawn = np.random.default_rng(0).dirichlet(shares * size + 0.5, _DRAWS)
    low, high = np.quantile(_kappa(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    value = float(_kappa(shares))
    return Interval(value=value, low=min(float(low), value), high=max(float(high), value))


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedAnswer:
    """A labelled answer with the judge's probability."""

    p: float
    right: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """Answers of similar probability."""

    start: float
    end: float
    answers: int
    stated: float
    """Mean probability."""
    right: Interval
    """Share labelled right."""

    @property
    def off(self) -> bool:
        """Whether the stated probability is outside the interval."""
        return not self.right.low <= self.stated <= self.right.high


def reliability(rows: Sequence[StatedAnswer], bins: int = 10) -> list[ReliabilityBin]:
    """Stated and observed shares, in bins of equal width; empty ones are left out."""
    found: list[ReliabilityBin] = []
    for place in range(bins):
        held = [each for each in rows if min(int(each.p * bins), bins - 1) == place]
        if not held:
            continue
        weights = np.array([each.weight for each in held])
        right = _share(weights, np.array([each.right for each in held]))
        assert right is not None  # noqa: S101 the bin is not empty
        stated = float(np.average([each.p for each in held], weights=weights))
        bin_ = ReliabilityBin(start=place / bins, end=(place + 1) / bins, answers=len(held), stated=stated, right=right)
        found.append(bin_)
    return found
