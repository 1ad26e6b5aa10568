"""Whether an agent's answers became worse than its own earlier answers.

Each answer is placed among all answers so far: as long as nothing changes, its rank is uniform whatever the judge's
numbers mean, and independent of the ranks before it (Vovk, Gammerman and Shafer, "Algorithmic Learning in a Random
World", 2005, theorem 8.1). So the judge need not be calibrated, and the past need not be known beforehand. A
change shows as low ranks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev

from evals.alarms.detector import LIMIT, RECOVERY, Detector
from evals.alarms.spread import NeighbourSpread

BINS = 50
"""Equal bins of `p_alone` in which the past is counted. Answers of one bin are ordered by their draw."""
FALLS = ((3.0, 0.12), (3.0, 0.25), (3.0, 0.5), (6.0, 0.1), (6.0, 0.3), (6.0, 0.8))
"""The changes that are bet on: this share of the answers has ranks that fall off as exp(−steepness · rank).

Wrong answers have such ranks among all answers under the packaged judge. The smallest share bounds the smallest fall
that is found: falls of less than about half of it never are."""
FORGET_YEARS = 1.0
"""The past fades with this time constant, but never below `LEAST_KEPT` answers."""
LEAST_KEPT = 20_000
"""Answers of the past that never fade: a past that is much shorter is too noisy to be compared with for ever."""


def bet_on_fall(rank: float, steepness: float, share: float) -> float:
    """How much likelier a rank is after the fall than before it; 1 on average over uniform ranks.

    >>> round(sum(bet_on_fall((n + 0.5) / 1000, 3.0, 0.5) for n in range(1000)) / 1000, 4)
    1.0
    """
    return 1 - share + share * steepness * math.exp(-steepness * rank) / (1 - math.exp(-steepness))


_STEADY_LOGS = [math.log(bet_on_fall((place + 0.5) / 1_000, *FALLS[0])) for place in range(1_000)]
STEADY_MEAN, STEADY_DEVIATION = fmean(_STEADY_LOGS), pstdev(_STEADY_LOGS)
"""Of the log of the bet on the smallest fall, while ranks are uniform."""


@dataclass(slots=True)
class Past:
    """How many answers of an agent had which `p_alone`."""

    counts: list[float] = field(default_factory=lambda: [0.0] * BINS)

    @property
    def answers(self) -> float:
        return sum(self.counts)

    def rank(self, place: int, draw: float, others: Sequence[float]) -> float:
        """The share of answers here, in `others` and itself that are worse; `draw` orders those of its own bin."""
        below = sum(self.counts[:place]) + sum(others[:place])
        beside = self.counts[place] + others[place] + 1
        return (below + draw * beside) / (self.answers + sum(others) + 1)

    def fade(self, years: float) -> None:
        """Forgets some of what is older, and keeps at least `LEAST_KEPT` answers."""
        held = self.answers
        if held <= LEAST_KEPT or years <= 0:
            return
        kept = max(math.exp(-years / FORGET_YEARS), LEAST_KEPT / held)
        self.counts = [count * kept for count in self.counts]

    def add(self, counts: Sequence[float]) -> None:
        """Learns answers."""
        self.counts = [held + new for held, new in zip(self.counts, counts, strict=True)]


@dataclass(slots=True)
class FallAlarm:
    """The alarm on an agent's answers against its own past.

    While the alarm is on, answers are compared with the past and not learned, nor are those that raised it.
    """

    past: Past = field(default_factory=Past)
    recent: list[float] = field(default_factory=lambda: [0.0] * BINS)
    """Answers since the evidence last began to grow: learned once it is gone, dropped once the alarm goes on."""
    spread: NeighbourSpread = field(default_factory=NeighbourSpread)
    """How much less neighbouring answers say than independent ones."""
    growth: float = 0.0
    """Log evidence of the smallest fall since then."""
    detector: Detector = field(default_factory=lambda: Detector.of(len(FALLS)))
    bet: int | None = None
    """The bet with the most evidence when the alarm went on; `None` while it is off."""
    recovery: float = 0.0
    """Log evidence, while it is on, that the answers are as before."""

    @property
    def on(self) -> bool:
        return self.bet is not None

    def add(self, p_alone: float, draw: float, years: float, weight: float) -> None:
        """Adds an answer of this weight, from 0 to 1, that came so long after the one before."""
        place = min(int(p_alone * BINS), BINS - 1)
        self.past.fade(years)
        rank = self.past.rank(place, draw, self.recent)
        if self.bet is not None:
            self._recover(self.bet, rank, weight)
            return
        bets = [bet_on_fall(rank, *each) for each in FALLS]
        counted, weight = weight, weight / self.spread.effect
        # a power of at most 1 keeps each bet fair or worse (Jensen)
        self.detector.add(years, [bet**weight for bet in bets])
        smallest = math.log(bets[0])
        self.growth += weight * smallest
        self.recent[place] += counted
        self.spread.add((smallest - STEADY_MEAN) / STEADY_DEVIATION, counted)
        if self.detector.total >= LIMIT:
            self.bet, self.recovery = self.detector.strongest, 0.0
            self.spread.drop()
            self._forget_recent()
        elif self.growth <= 0:
            self.past.add(self.recent)
            self.spread.learn()
            self._forget_recent()

    def _recover(self, bet: int, rank: float, weight: float) -> None:
        self.recovery = max(0.0, self.recovery - weight * math.log(bet_on_fall(rank, *FALLS[bet])))
        if self.recovery >= math.log(RECOVERY):
            self.bet, self.recovery = None, 0.0
            self.detector.clear()

    def _forget_recent(self) -> None:
        self.recent, self.growth = [0.0] * BINS, 0.0
