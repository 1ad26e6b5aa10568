"""A test that may be looked at after every answer: the sum of bets that begin at every answer.

Each bet is a number that a fair game multiplies by 1 on average, so the sum less the time is a fair game too, and its
mean at a false alarm is the mean time until then (Shin, Ramdas and Rinaldo, "E-detectors", 2023, theorem 2.4, for the
sum of Shiryaev and Roberts). A bet's stake is here the time since the answer before and not 1: so the limit is one of
years between false alarms, whatever the traffic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

YEARS_BETWEEN_FALSE_ALARMS = 20.0
"""Least mean time between two false alarms of one agent."""
LIMIT = 2 * YEARS_BETWEEN_FALSE_ALARMS
"""Evidence, in years, at which an alarm goes on. An agent has two alarms, and each has half of its false alarms."""
MOST_STAKE = 7 / 365.25
"""A longer silence stakes no more, so that one answer after a year of silence is no evidence by itself."""
HEAD_START = 0.4
"""Evidence, in years, that a new agent's answers begin with: what is bad from the first answer on is found sooner.

One new agent in a hundred at most has a false alarm for it: `HEAD_START` ÷ `LIMIT` (Lucas and Crosier, "Fast initial
response for CUSUM quality-control schemes", 1982)."""
RECOVERY = 100.0
"""An alarm goes off once the answers since are so many times likelier without the change than with it."""


@dataclass(slots=True)
class Detector:
    """Evidence for a change, in years, by each way to bet on it.

    >>> detector = Detector.of(2)
    >>> detector.add(0.01, (3.0, 1.5))
    >>> detector.add(0.01, (3.0, 1.5))
    >>> [round(each, 4) for each in detector.evidence], round(detector.total, 4)
    ([0.06, 0.0188], 0.0788)
    """

    evidence: list[float]

    @staticmethod
    def of(bets: int, head_start: float = 0.0) -> Detector:
        """With this evidence, in equal parts."""
        return Detector([head_start / bets] * bets)

    @property
    def total(self) -> float:
        """All evidence, in years."""
        return sum(self.evidence)

    @property
    def strongest(self) -> int:
        """The bet with the most evidence."""
        return max(range(len(self.evidence)), key=self.evidence.__getitem__)

    def add(self, years: float, factors: Sequence[float]) -> None:
        """Adds an answer: the years since the one before, and what it multiplies each bet by."""
        stake = min(max(years, 0.0), MOST_STAKE) / len(self.evidence)
        self.evidence = [(held + stake) * factor for held, factor in zip(self.evidence, factors, strict=True)]

    def clear(self) -> None:
        """Drops all evidence."""
        self.evidence = [0.0] * len(self.evidence)
