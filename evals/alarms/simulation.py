"""Simulates agents under their alarms, thousands at a time: how often an alarm is false, and how late a true one is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evals.alarms.detector import LIMIT, MOST_STAKE
from evals.alarms.fall import BINS, FALLS, FORGET_YEARS, LEAST_KEPT
from evals.alarms.spread import BLOCKS, PRIOR_BLOCKS

Floats = NDArray[np.float64]
_DAYS_A_YEAR = 365.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """Shares of `p_alone` in equal bins, of an agent's right and of its wrong answers."""

    right: Floats
    wrong: Floats

    def mixed(self, share_right: float) -> Floats:
        """The shares for an agent of which this share of the answers is right."""
        return share_right * self.right + (1 - share_right) * self.wrong


def information(before: Floats, after: Floats) -> float:
    """Nats that one answer gives on average about the change: the divergence of Kullback and Leibler.

    >>> round(information(np.array([0.5, 0.5]), np.array([0.75, 0.25])), 4)
    0.1308
    """
    held = after > 0
    return float((after[held] * np.log(after[held] / before[held])).sum())


def theoretical_delay(before: Floats, after: Floats, answers_between: float) -> float:
    """Answers until an alarm with so many answers between false ones, at best: log(answers) ÷ information (Lorden)."""
    return float(np.log(answers_between) / information(before, after))


def draw_p_alone(random: np.random.Generator, shares: Floats, shape: tuple[int, ...]) -> Floats:
    """Draws `p_alone` with these shares of the bins, uniform within each."""
    bins = random.choice(len(shares), size=shape, p=shares / shares.sum())
    return (bins + random.random(shape)) / len(shares)


@dataclass(slots=True)
class WatchedStreams:
    """Many agents' alarms against their own past, each until it first goes on. One row for each agent.

    They compute what `FallAlarm` does.
    """

    below: Floats
    """For each agent, answers so far in the bins below each bin; the last column is all answers."""
    evidence: Floats
    alarmed: NDArray[np.int64]
    """Answers until the alarm; 0 while it is off."""
    growth: Floats
    squares: Floats
    new_squares: Floats
    sums: Floats
    """These and the next two are those of `FallAlarm` and its `NeighbourSpread`."""
    expected: Floats
    new_expected: Floats
    taken: int = 0

    @staticmethod
    def with_past(random: np.random.Generator, shares: Floats, streams: int, past: int) -> WatchedStreams:
        """Agents that each have given so many answers with these shares."""
        places = np.minimum((draw_p_alone(random, shares, (200_000,)) * BINS).astype(int), BINS - 1)
        known = np.bincount(places, minlength=BINS) / len(places)
        counts = random.multinomial(past, known, size=streams)
        below = np.zeros((streams, BINS + 1))
        below[:, 1:] = counts.cumsum(axis=1)
        lengths = np.array(BLOCKS, dtype=float)
        full = past // lengths
        zeros = np.zeros((streams, len(BLOCKS)))
        return WatchedStreams(
            below=below,
            evidence=np.zeros((streams, len(FALLS))),
            alarmed=np.zeros(streams, dtype=np.int64),
            growth=np.zeros(streams),
            # sums of independent ranks are normal, nearly
            squares=lengths * np.where(full > 0, random.chisquare(np.maximum(full, 1), (streams, len(BLOCKS))), 0),
            expected=zeros + full * lengths,
            sums=zeros.copy(),
            new_squares=zeros.copy(),
            new_expected=zeros.copy(),
        )

    def take(self, p_alone: Floats, draws: Floats, years: float) -> None:
        """Takes up one answer of each agent."""
        self.taken += 1
        places = np.minimum((p_alone * BINS).astype(np.int64), BINS - 1)
        rows = np.arange(len(places))
        worse, here = self.below[rows, places], self.below[rows, places + 1]
        ranks = (worse + draws * (here - worse + 1)) / (self.below[:, -1] + 1)
        self.below += np.arange(BINS + 1)[None, :] > places[:, None]
        stake = min(years, MOST_STAKE) / len(FALLS)
        bets, weights = _bets(ranks), 1 / self._effects()
        self.evidence = (self.evidence + stake) * bets ** weights[:, None]
        self.growth += weights * np.log(bets[:, 0])
        self._take_blocks(ranks)
        self._learn_blocks(self.growth <= 0)
        now = (self.alarmed == 0) & (self.evidence.sum(axis=1) >= LIMIT)
        self.alarmed[now] = self.taken

    def _effects(self) -> Floats:
        before = PRIOR_BLOCKS * np.array(BLOCKS)
        return np.maximum(((self.squares + before) / (self.expected + before)).max(axis=1), 1.0)

    def _take_blocks(self, ranks: Floats) -> None:
        self.sums += ranks[:, None] - 0.5
        for place, length in enumerate(BLOCKS):
            if self.taken % length == 0:
                self.new_squares[:, place] += 12 * self.sums[:, place] ** 2
                self.new_expected[:, place] += length
                self.sums[:, place] = 0.0

    def _learn_blocks(self, learned: NDArray[np.bool_]) -> None:
        self.squares[learned] += self.new_squares[learned]
        self.expected[learned] += self.new_expected[learned]
        for new in (self.growth, self.new_squares, self.new_expected):
            new[learned] = 0.0

    def fade(self, years: float) -> None:
        """Forgets what `Past.fade` forgets in this time."""
        held = self.below[:, -1]
        kept = np.where(held > LEAST_KEPT, np.maximum(np.exp(-years / FORGET_YEARS), LEAST_KEPT / held), 1.0)
        self.below *= kept[:, None]


def _bets(ranks: Floats) -> Floats:
    return np.stack(
        [1 - share + share * steep * np.exp(-steep * ranks) / (1 - np.exp(-steep)) for steep, share in FALLS], axis=1
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Agents of the same traffic and quality."""

    a_day: float
    """Answers of one agent."""
    before: Floats
    after: Floats
    past: int
    """Answers of each agent before the simulation begins."""

    @property
    def years(self) -> float:
        """Years between two answers."""
        return 1 / (self.a_day * _DAYS_A_YEAR)


def delays(random: np.random.Generator, traffic: Traffic, *, streams: int, most: int) -> Floats:
    """Answers from the change to the alarm, for each agent; infinite where `most` answers raise none."""
    watched = WatchedStreams.with_past(random, traffic.before, streams, traffic.past)
    while watched.taken < most and not watched.alarmed.all():
        p_alone = draw_p_alone(random, traffic.after, (streams,))
        watched.take(p_alone, random.random(streams), traffic.years)
    return np.where(watched.alarmed > 0, watched.alarmed, np.inf).astype(float)


def false_alarms(random: np.random.Generator, traffic: Traffic, *, streams: int, answers: int) -> tuple[int, float]:
    """False alarms, and the agent-years in which they came. An agent whose alarm went on is watched no longer."""
    watched = WatchedStreams.with_past(random, traffic.before, streams, traffic.past)
    for _ in range(answers):
        p_alone = draw_p_alone(random, traffic.before, (streams,))
        watched.take(p_alone, random.random(streams), traffic.years)
        if watched.taken % 100 == 0:
            watched.fade(100 * traffic.years)
    lived = np.where(watched.alarmed > 0, watched.alarmed, answers)
    return int((watched.alarmed > 0).sum()), float(lived.sum() * traffic.years)
