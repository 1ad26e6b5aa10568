"""How many answers of a group have which probability: all that an estimate needs to know of answers without labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def hundredth(probability: float) -> int:
    """The probability in whole hundredths.

    An estimate stays unbiased with any function of the probability, as long as it is the same for all answers.
    """
    return round(probability * 100)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreCounts:
    """The probabilities of a group's answers."""

    counts: Mapping[int, int]
    """Scored answers by `hundredth` of their probability."""
    unscored: int = 0
    """Answers without a score. They count like answers with the mean probability."""

    @classmethod
    def of(cls, probabilities: Iterable[float | None]) -> Self:
        """Counts the answers.

        >>> ScoreCounts.of([0.5, 0.704, None]).answers
        3
        """
        given = list(probabilities)
        scored = Counter(hundredth(each) for each in given if each is not None)
        return cls(counts=dict(scored), unscored=len(given) - scored.total())

    @property
    def answers(self) -> int:
        return sum(self.counts.values()) + self.unscored

    @property
    def mean(self) -> float:
        """Mean probability of the scored answers, 0 to 1; 0.5 where none is scored."""
        scored = sum(self.counts.values())
        return sum(place * count for place, count in self.counts.items()) / scored / 100 if scored else 0.5

    @property
    def variance(self) -> float:
        """Of the probabilities of all answers."""
        deviations, shares = self.deviations()
        return float(shares @ deviations**2)

    def deviation(self, place: int | None) -> float:
        """How far a probability in hundredths is above the mean; 0 without a score."""
        return 0.0 if place is None else place / 100 - self.mean

    def deviations(self) -> tuple[Floats, Floats]:
        """The deviations that occur, and the share of all answers that has each."""
        places = sorted(self.counts)
        deviations = np.array([*(place / 100 for place in places), self.mean]) - self.mean
        shares = np.array([*(self.counts[place] for place in places), self.unscored], dtype=np.float64)
        return deviations, shares / max(1, self.answers)
