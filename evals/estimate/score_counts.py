"""What an estimate needs to know of the answers without labels: how many there are, and how their scores lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probabilities:
    """How many answers a group has, and the mean and the variance of their probabilities."""

    answers: int
    """With those without a score, which count as answers of the mean probability."""
    scored: int
    mean: float
    """Over the scored answers; 0.5 where there is none."""
    variance: float
    """Over all answers."""

    @classmethod
    def of(cls, probabilities: Iterable[float | None]) -> Self:
        """Of these answers; `None` is an answer without a score.

        >>> Probabilities.of([0.5, 1.0, None, None])
        Probabilities(answers=4, scored=2, mean=0.75, variance=0.03125)
        """
        given = list(probabilities)
        scored = [each for each in given if each is not None]
        squares = sum(each * each for each in scored)
        return cls.from_sums(answers=len(given), scored=len(scored), total=sum(scored), squares=squares)

    @classmethod
    def from_sums(cls, *, answers: int, scored: int, total: float, squares: float) -> Self:
        """From the sum of the probabilities and the sum of their squares."""
        mean = total / scored if scored else 0.5
        variance = max(0.0, squares - mean * total) / answers if answers else 0.0
        # equal probabilities leave what rounding leaves
        return cls(answers=answers, scored=scored, mean=mean, variance=variance if variance > 1e-12 else 0.0)

    def deviation(self, probability: float | None) -> float:
        """How far a probability is above the mean; 0 without a score."""
        return 0.0 if probability is None else probability - self.mean


def hundredth(probability: float) -> int:
    """The probability in whole hundredths.

    >>> hundredth(0.704)
    70
    """
    return round(probability * 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCounts:
    """How many answers have which place on a scale from 0 to 100: a rounded score, or hundredths of a probability."""

    counts: Mapping[int, int]
    unscored: int = 0
    """Answers without a score. They count like answers of the mean place."""

    @classmethod
    def of(cls, places: Iterable[int | None]) -> Self:
        """Counts the places; `None` is an answer without a score."""
        given = list(places)
        scored = Counter(each for each in given if each is not None)
        return cls(counts=dict(scored), unscored=len(given) - scored.total())

    @property
    def mean(self) -> float:
        """Mean place of the scored answers."""
        scored = sum(self.counts.values())
        return sum(place * count for place, count in self.counts.items()) / scored if scored else 0.0

    def deviation(self, place: int | None) -> float:
        """How far a place is above the mean, in hundreds; 0 without a score."""
        return 0.0 if place is None else (place - self.mean) / 100

    def deviations(self) -> tuple[Floats, Floats]:
        """The deviations that occur, and the share of all answers that has each."""
        places = sorted(self.counts)
        deviations = np.array([*(self.deviation(place) for place in places), 0.0])
        shares = np.array([*(self.counts[place] for place in places), self.unscored], dtype=np.float64)
        return deviations, shares / max(1.0, float(shares.sum()))

    @property
    def variance(self) -> float:
        """Of the deviations of all answers."""
        deviations, shares = self.deviations()
        return float(shares @ deviations**2)
