"""A year of healthy agents, and agents that are bad or become so: what pages, what opens tickets, and how soon.

The alarms compute what they compute in the service. Labels and canaries are drawn at random from an agent's answers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evals.alarms.agent_alarm import JUDGED_WRONG
from evals.alarms.judged_bins import JudgedBins, development_bins
from evals.alarms.new_agents import NewAgentRow, new_agent_rows
from evals.alarms.simulation import BelowStreams, Floats, Traffic, WatchedStreams, delays, draw_p_alone
from evals.alarms.unusable_answers import unusable_pages
from evals.alarms.window_alerts import BUCKETS_A_DAY, Flags, WindowConditions, alarms_raised, draw_counts, firing
from evals.estimate.right_share import LabelledScore, estimate_share
from evals.estimate.score_counts import Probabilities

HEALTHY = (0.6, 0.8, 0.9, 0.98)
"""Shares of right answers of agents of which none has changed."""
BAD = (0.0, 0.2, 0.4)
"""The same of agents that are bad from their first answer on."""
FALLS = (0.15, 0.40)
_STREAMS = {1.0: (200, 8_766), 20.0: (300, 35_064), 200.0: (1_500, 21_039), 5_000.0: (2_500, 43_830)}
"""Agents and answers of each, by answers an hour."""
AN_HOUR = tuple(_STREAMS)
BOUND = 50.0
"""The lowest score of the tier Marginal."""
LABELS_A_WEEK, CANARIES = 50, 20
LEAST_RIGHT, SURE_LEVEL, DEVIATIONS = 0.5, 0.998, 3.29
"""Labels and canaries page below this share: by the interval at this level, and by Wilson's bound."""
_AGENTS, _LABELLED_YEARS, _CANARY_YEARS = 200, 10, 2_000
_PAST, _MOST = 20_000, 5_000
"""Answers before a fall, and most after it."""
_HOURS_A_YEAR = 8_766.0
_UNUSABLE_SEED = 17
"""Of a generator of its own, so that the other tables stay as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthyRow:
    """A year of agents of which none has changed, from their first answer on."""

    an_hour: float
    right: float
    agent_years: float
    pages: int
    """Alarms against the own past, and below the tier's bound."""
    pages_a_year: float
    window_tickets_a_year: int
    unusable_pages: int
    """Pages on answers of no use, where every wrong answer is one: the worst that a healthy agent can be."""
    unusable_years: float
    """Agent-years in which they came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledYearRow:
    """The same of agents with labels and canaries."""

    right: float
    label_years: float
    label_pages: int
    canary_years: float
    canary_pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRow:
    """Answers until an agent is found. `None` where most are not."""

    an_hour: float
    before: float | None
    """Share of right answers before; `None` for an agent that is new."""
    after: float
    alarm: str
    median: float | None
    p90: float | None
    hours: float | None
    """Of the median."""


@dataclass(frozen=True, slots=True, kw_only=True)
class YearFigures:
    """All tables."""

    healthy: Sequence[HealthyRow]
    labelled: Sequence[LabelledYearRow]
    found: Sequence[FoundRow]
    new_agents: Sequence[NewAgentRow]


def year_figures(
    *,
    seed: int,
    scale: float = 1.0,
    an_hour: Sequence[float] = AN_HOUR,
    healthy: Sequence[float] = HEALTHY,
    bad: Sequence[float] = BAD,
) -> YearFigures:
    """Simulates agents at these rates and shares of right answers, with this share of the usual number of agents."""
    bins = development_bins()
    # one generator for each table, so that a change to one leaves the others as they are
    first, second, third, fourth = (np.random.default_rng(seed + table) for table in range(4))
    return YearFigures(
        healthy=[_healthy(first, bins, *each, scale) for each in itertools.product(an_hour, healthy)],
        labelled=[_labelled(second, bins, right, scale) for right in healthy],
        found=list(_found(third, bins, an_hour, bad, scale)),
        new_agents=list(new_agent_rows(fourth, bins, bad, math.ceil(scale * _AGENTS))),
    )


def _healthy(random: np.random.Generator, bins: JudgedBins, an_hour: float, right: float, scale: float) -> HealthyRow:
    shares, years = bins.shares.mixed(right), 1 / (an_hour * _HOURS_A_YEAR)
    streams, answers = math.ceil(scale * _STREAMS[an_hour][0]), _STREAMS[an_hour][1]
    agents = _Agents.new(random, shares, streams)
    for place in range(answers):
        agents.answer(random, bins, shares, years)
        if place % 100 == 0:
            agents.fall.fade(100 * years)
    lived = np.where(agents.fall.alarmed > 0, agents.fall.alarmed, answers)
    pages = int((agents.fall.alarmed > 0).sum() + (agents.below.alarmed > 0).sum())
    agent_years = float(lived.sum() * years)
    windows = firing(draw_counts(random, bins, shares, 24 * an_hour, 365 * BUCKETS_A_DAY), WindowConditions())
    useless_agents = math.ceil(scale * _AGENTS)
    useless = unusable_pages(
        np.random.default_rng(_UNUSABLE_SEED),
        unusable=1 - right,
        an_hour=an_hour,
        agents=useless_agents,
        answers=answers,
    )
    return HealthyRow(
        an_hour=an_hour,
        right=right,
        agent_years=round(agent_years, 1),
        pages=pages,
        pages_a_year=round(pages / agent_years, 3),
        window_tickets_a_year=alarms_raised(windows),
        unusable_pages=useless.pages,
        unusable_years=round(useless_agents * answers * years, 2),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Agents:
    """The alarms of many agents."""

    fall: WatchedStreams
    below: BelowStreams
    wrong: BelowStreams

    @staticmethod
    def new(random: np.random.Generator, shares: Floats, streams: int) -> _Agents:
        """Agents before their first answer."""
        fall = WatchedStreams.with_past(random, shares, streams, 0)
        return _Agents(fall=fall, below=BelowStreams.without_past(streams), wrong=BelowStreams.without_past(streams))

    def answer(self, random: np.random.Generator, bins: JudgedBins, shares: Floats, years: float) -> None:
        """Adds one answer of each agent to its alarms."""
        p_alone = draw_p_alone(random, shares, (len(self.fall.alarmed),))
        self.fall.add(p_alone, random.random(len(p_alone)), years)
        places, weights = (p_alone * len(bins.scores)).astype(int), 1 / self.fall.effects()
        self.below.add(bins.scores[places], BOUND, years, weights)
        self.wrong.add(100 * (1 - bins.judged_wrong[places]), 100 * (1 - JUDGED_WRONG), years, weights)


def _labelled(random: np.random.Generator, bins: JudgedBins, right: float, scale: float) -> LabelledYearRow:
    label_years, canary_years = math.ceil(scale * _LABELLED_YEARS), math.ceil(scale * _CANARY_YEARS)
    labelled = (_label_pages(random, bins, right) for _ in range(label_years))
    canaries = random.binomial(CANARIES, right, size=(canary_years, 365))
    return LabelledYearRow(
        right=right,
        label_years=label_years,
        label_pages=sum(map(alarms_raised, labelled)),
        canary_years=canary_years,
        canary_pages=sum(alarms_raised(surely_below(year, CANARIES) < LEAST_RIGHT) for year in canaries),
    )


def _label_pages(random: np.random.Generator, bins: JudgedBins, right: float) -> Flags:
    """When a year of labels pages: after each, by the latest week of them."""
    count = 52 * LABELS_A_WEEK
    correct = random.random(count) < right
    drawn = [draw_p_alone(random, each, (count,)) for each in (bins.shares.wrong, bins.shares.right)]
    p_alone = np.where(correct, drawn[1], drawn[0])
    answers = Probabilities.of(draw_p_alone(random, bins.shares.mixed(right), (3_360,)).tolist())
    labels = [LabelledScore(right=float(one), p=float(p)) for one, p in zip(correct, p_alone, strict=True)]
    weeks = (labels[end - LABELS_A_WEEK : end] for end in range(LABELS_A_WEEK, count + 1))
    return np.array([estimate_share(answers, week, level=SURE_LEVEL).high < LEAST_RIGHT for week in weeks])


def surely_below(right: Floats, asked: int) -> Floats:
    """Wilson's upper bound of the share of canaries that are answered right.

    >>> [round(float(surely_below(np.array([right]), 20)[0]), 3) for right in (2, 3)]
    [0.467, 0.518]
    """
    square = DEVIATIONS**2
    return (right + square / 2 + DEVIATIONS * np.sqrt(right * (asked - right) / asked + square / 4)) / (asked + square)


def _found(
    random: np.random.Generator, bins: JudgedBins, an_hour: Sequence[float], bad: Sequence[float], scale: float
) -> Iterator[FoundRow]:
    agents = math.ceil(scale * _AGENTS)
    for rate, after in itertools.product(an_hour, bad):
        yield from _new_rows(random, bins, rate, after, agents)
    for rate, fall in itertools.product(an_hour, FALLS):
        before, after = bins.shares.mixed(0.8), bins.shares.mixed(0.8 - fall)
        traffic = Traffic(a_day=24 * rate, before=before, after=after, past=_PAST)
        yield _found_row(rate, 0.8, round(0.8 - fall, 2), "fall", delays(random, traffic, streams=agents, most=_MOST))


def _new_rows(
    random: np.random.Generator, bins: JudgedBins, an_hour: float, right: float, agents: int
) -> Iterator[FoundRow]:
    """When new agents that are bad from the first answer are found."""
    shares, years = bins.shares.mixed(right), 1 / (an_hour * _HOURS_A_YEAR)
    new = _Agents.new(random, shares, agents)
    while new.below.taken < _MOST and not (new.below.alarmed.all() and new.wrong.alarmed.all()):
        new.answer(random, bins, shares, years)
    for alarm, streams in (("wrong", new.wrong), ("below", new.below)):
        late = np.where(streams.alarmed > 0, streams.alarmed, np.inf).astype(float)
        yield _found_row(an_hour, None, right, alarm, late)
    useless = np.random.default_rng(_UNUSABLE_SEED)
    pages = unusable_pages(useless, unusable=1 - right, an_hour=an_hour, agents=agents, answers=_MOST)
    yield _found_row(an_hour, None, right, "unusable", pages.first)


def _found_row(an_hour: float, before: float | None, after: float, alarm: str, late: Floats) -> FoundRow:
    median, p90 = (float(np.quantile(late, share, method="higher")) for share in (0.5, 0.9))
    return FoundRow(
        an_hour=an_hour,
        before=before,
        after=after,
        alarm=alarm,
        median=median if math.isfinite(median) else None,
        p90=p90 if math.isfinite(p90) else None,
        hours=round(median / an_hour, 2) if math.isfinite(median) else None,
    )
