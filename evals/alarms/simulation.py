"""Simulates agents under their alarms, thousands at a time: how often an alarm is false, and how late a true one is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evals.alarms.below import STAKES
from evals.alarms.detector import HEAD_START, LIMIT, MOST_STAKE
from evals.alarms.fall import BINS, FALLS, FORGET_YEARS, LEAST_KEPT, STEADY_DEVIATION, STEADY_MEAN
from evals.alarms.spread import BLOCK, PRIOR, SKEW

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
    """These and the next are those of `FallAlarm` and its `NeighbourSpread`."""
    expected: Floats
    new_squares: Floats
    new_sum: Floats
    new_blocks: Floats
    block: Floats
    taken: int = 0

    @staticmethod
    def with_past(random: np.random.Generator, shares: Floats, streams: int, past: int) -> WatchedStreams:
        """Agents that each have given so many answers with these shares."""
        places = np.minimum((draw_p_alone(random, shares, (200_000,)) * BINS).astype(int), BINS - 1)
        known = np.bincount(places, minlength=BINS) / len(places)
        counts = random.multinomial(past, known, size=streams)
        below = np.zeros((streams, BINS + 1))
        below[:, 1:] = counts.cumsum(axis=1)
        full = past // BLOCK
        zeros = np.zeros(streams)
        return WatchedStreams(
            below=below,
            evidence=np.zeros((streams, len(FALLS))),
            alarmed=np.zeros(streams, dtype=np.int64),
            growth=zeros.copy(),
            # sums of independent answers are normal, nearly
            squares=BLOCK * random.chisquare(full, streams) if full else zeros.copy(),
            expected=zeros + full * BLOCK,
            new_squares=zeros.copy(),
            new_sum=zeros.copy(),
            new_blocks=zeros.copy(),
            block=zeros.copy(),
        )

    def add(self, p_alone: Floats, draws: Floats, years: float) -> None:
        """Adds one answer of each agent."""
        self.taken += 1
        places = np.minimum((p_alone * BINS).astype(np.int64), BINS - 1)
        rows = np.arange(len(places))
        worse, here = self.below[rows, places], self.below[rows, places + 1]
        ranks = (worse + draws * (here - worse + 1)) / (self.below[:, -1] + 1)
        self.below += np.arange(BINS + 1)[None, :] > places[:, None]
        stake = min(years, MOST_STAKE) / len(FALLS)
        bets, weights = _bets(ranks), 1 / self.effects()
        logs = np.log(bets[:, 0])
        self.evidence = (self.evidence + stake) * bets ** weights[:, None]
        self.growth += weights * logs
        self._take_blocks((logs - STEADY_MEAN) / STEADY_DEVIATION)
        self._learn_blocks(self.growth <= 0)
        now = (self.alarmed == 0) & (self.evidence.sum(axis=1) >= LIMIT)
        self.alarmed[now] = self.taken

    def effects(self) -> Floats:
        """By what the evidence of each agent's answers is divided."""
        blocks = np.maximum(self.new_blocks, 1)
        squares = self.squares + self.new_squares - self.new_sum**2 / blocks
        expected = self.expected + BLOCK * (blocks - 1)
        return np.maximum(1 + (SKEW * (squares - expected) + PRIOR / 4) / (expected + PRIOR), 1.0)

    def _take_blocks(self, numbers: Floats) -> None:
        self.block += numbers
        if self.taken % BLOCK == 0:
            self.new_squares += self.block**2
            self.new_sum += self.block
            self.new_blocks += 1
            self.block[:] = 0.0

    def _learn_blocks(self, learned: NDArray[np.bool_]) -> None:
        self.squares[learned] += self.new_squares[learned]
        self.expected[learned] += BLOCK * self.new_blocks[learned]
        for new in (self.growth, self.new_squares, self.new_sum, self.new_blocks):
            new[learned] = 0.0

    def fade(self, years: float) -> None:
        """Forgets what `Past.fade` forgets in this time."""
        held = self.below[:, -1]
        kept = np.where(held > LEAST_KEPT, np.maximum(np.exp(-years / FORGET_YEARS), LEAST_KEPT / held), 1.0)
        self.below *= kept[:, None]


@dataclass(slots=True)
class BelowStreams:
    """The same agents' alarms against a bound. They compute what `BelowAlarm` does."""

    evidence: Floats
    alarmed: NDArray[np.int64]
    """Answers until the alarm; 0 while it is off."""
    taken: int = 0

    @staticmethod
    def without_past(streams: int) -> BelowStreams:
        """Agents before their first answer."""
        start = HEAD_START / len(STAKES)
        return BelowStreams(np.full((streams, len(STAKES)), start), np.zeros(streams, dtype=np.int64))

    def add(self, scores: Floats, bound: float, years: float, weights: Floats) -> None:
        """Adds one answer of each agent."""
        self.taken += 1
        bets = 1 + np.array(STAKES) * ((bound - scores) / max(100 - bound, 1.0))[:, None]
        self.evidence = (self.evidence + min(years, MOST_STAKE) / len(STAKES)) * bets ** weights[:, None]
        self.alarmed[(self.alarmed == 0) & (self.evidence.sum(axis=1) >= LIMIT)] = self.taken


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions:
    """Agents that are good or bad at what their users ask about for a while."""

    right: float
    """Share of right answers."""
    apart: float
    """In half of the sessions the share is so much larger, in the other half so much smaller."""
    past: int
    """Answers of each agent before the simulation begins: whole blocks."""
    length: int = 20
    """Answers of a session."""

    def drawn(self, random: np.random.Generator, bins: Bins, streams: int, answers: int) -> Iterator[Floats]:
        """Yields an answer of each agent, again and again. No two agents need begin a session at once."""
        begun, shares = random.integers(self.length, size=streams), self._shares(random, streams)
        for place in range(answers):
            shares = np.where((begun + place) % self.length == 0, self._shares(random, streams), shares)
            right, wrong = (draw_p_alone(random, each, (streams,)) for each in (bins.right, bins.wrong))
            yield np.where(random.random(streams) < shares, right, wrong)

    def _shares(self, random: np.random.Generator, streams: int) -> Floats:
        return self.right + self.apart * random.choice([-1.0, 1.0], size=streams)


def delays(random: np.random.Generator, traffic: Traffic, *, streams: int, most: int) -> Floats:
    """Answers from the change to the alarm, for each agent; infinite where `most` answers raise none."""
    watched = WatchedStreams.with_past(random, traffic.before, streams, traffic.past)
    while watched.taken < most and not watched.alarmed.all():
        p_alone = draw_p_alone(random, traffic.after, (streams,))
        watched.add(p_alone, random.random(streams), traffic.years)
    return np.where(watched.alarmed > 0, watched.alarmed, np.inf).astype(float)


def false_alarms(random: np.random.Generator, traffic: Traffic, *, streams: int, answers: int) -> tuple[int, float]:
    """False alarms, and the agent-years in which they came. An agent whose alarm went on is watched no longer."""
    watched = WatchedStreams.with_past(random, traffic.before, streams, traffic.past)
    drawn = (draw_p_alone(random, traffic.before, (streams,)) for _ in range(answers))
    return watched_for(random, watched, drawn, traffic.years)


def false_alarms_in_sessions(
    random: np.random.Generator, bins: Bins, sessions: Sessions, *, a_day: float, streams: int, answers: int
) -> tuple[int, float]:
    """The same of agents whose answers come in sessions, after `sessions.past` of them."""
    watched = WatchedStreams.with_past(random, bins.mixed(sessions.right), streams, 0)
    watched_for(random, watched, sessions.drawn(random, bins, streams, sessions.past), 0.0)  # nothing is at stake
    watched.taken = 0
    drawn = sessions.drawn(random, bins, streams, answers)
    return watched_for(random, watched, drawn, 1 / (a_day * _DAYS_A_YEAR))


def watched_for(
    random: np.random.Generator, watched: WatchedStreams, drawn: Iterable[Floats], years: float
) -> tuple[int, float]:
    """Alarms on these answers of each agent, one after the other with so many years between two, and agent-years."""
    streams = len(watched.alarmed)
    for p_alone in drawn:
        watched.add(p_alone, random.random(streams), years)
        if watched.taken % 100 == 0:
            watched.fade(100 * years)
    lived = np.where(watched.alarmed > 0, watched.alarmed, watched.taken)
    return int((watched.alarmed > 0).sum()), float(lived.sum() * years)
