"""The figures of `sqlassay bench alarms`: false alarms per agent-year, and delays beside theory."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evals.alarms.detector import YEARS_BETWEEN_FALSE_ALARMS
from evals.alarms.judged_bins import JudgedBins, development_bins
from evals.alarms.simulation import Floats, Sessions, Traffic, delays, false_alarms, false_alarms_in_sessions
from evals.alarms.theory import theoretical_delay, theoretical_delay_with_past

_AGENTS = {1.0: 1_000, 20.0: 2_000, 200.0: 3_000, 5_000.0: 8_000}
"""Agents of which false alarms are counted, by answers a day: more where there are fewer years in their answers."""
_ANSWERS = 4_000
"""Answers of each."""
ANSWERS_A_DAY = tuple(_AGENTS)
APART = 0.2
SESSION_PASTS = (0, 2_000)
FALLS = (0.15, 0.40)
_DELAYS = 300
"""Agents of which a delay is measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseAlarmRow:
    """False alarms per agent-year at one traffic."""

    answers_a_day: float
    agent_years: float
    false_alarms: int
    per_agent_year: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRow:
    """False alarms per agent-year where the answers of a session are good or bad together."""

    answers_a_day: float
    apart: float
    """In half of the sessions the share of right answers is so much larger, in the other half so much smaller."""
    past: int
    agent_years: float
    false_alarms: int
    per_agent_year: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayRow:
    """Answers from a fall to the alarm, at one traffic. `None` where most agents raise none."""

    answers_a_day: float
    fall: float
    past: int
    theory: float
    theory_with_past: float | None
    """For a test that knows of the time before only this past. `None` where no number of answers is enough."""
    median: float | None
    p90: float | None
    median_days: float | None
    ratio: float | None
    """Median to theory."""
    ratio_with_past: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmFigures:
    """All tables."""

    right: float
    false_alarms: Sequence[FalseAlarmRow]
    sessions: Sequence[SessionRow]
    delays: Sequence[DelayRow]


def measured(*, right: float, pasts: Sequence[int], seed: int, scale: float = 1.0) -> AlarmFigures:
    """Simulates agents of which this share of the answers is right, after so many answers."""
    random, bins = np.random.default_rng(seed), development_bins()
    return AlarmFigures(
        right=right,
        false_alarms=[_false_alarms(random, bins, right, a_day, scale) for a_day in ANSWERS_A_DAY],
        sessions=[
            _in_sessions(random, bins, right, a_day, past, scale)
            for a_day, past in itertools.product(ANSWERS_A_DAY, SESSION_PASTS)
        ],
        delays=list(_delays(random, bins, right, pasts, scale)),
    )


def _false_alarms(
    random: np.random.Generator, bins: JudgedBins, right: float, a_day: float, scale: float
) -> FalseAlarmRow:
    shares = bins.shares.mixed(right)
    traffic = Traffic(a_day=a_day, before=shares, after=shares, past=200)
    agents = math.ceil(scale * _AGENTS[a_day])
    count, years = false_alarms(random, traffic, streams=agents, answers=math.ceil(scale * _ANSWERS))
    return FalseAlarmRow(
        answers_a_day=a_day,
        agent_years=round(years, 1),
        false_alarms=count,
        per_agent_year=round(count / years, 4),
    )


def _in_sessions(
    random: np.random.Generator, bins: JudgedBins, right: float, a_day: float, past: int, scale: float
) -> SessionRow:
    sessions = Sessions(right=right, apart=round(min(APART, 1 - right), 6), past=past)
    agents, answers = (math.ceil(scale * count) for count in (_AGENTS[a_day], _ANSWERS))
    count, years = false_alarms_in_sessions(random, bins.shares, sessions, a_day=a_day, streams=agents, answers=answers)
    return SessionRow(
        answers_a_day=a_day,
        apart=sessions.apart,
        past=past,
        agent_years=round(years, 1),
        false_alarms=count,
        per_agent_year=round(count / years, 4),
    )


def _delays(
    random: np.random.Generator, bins: JudgedBins, right: float, pasts: Sequence[int], scale: float
) -> Iterator[DelayRow]:
    for a_day, fall in itertools.product(ANSWERS_A_DAY, FALLS):
        before, after = bins.shares.mixed(right), bins.shares.mixed(right - fall)
        answers_between = YEARS_BETWEEN_FALSE_ALARMS * 365.25 * a_day
        theory = theoretical_delay(before, after, answers_between)
        for past in pasts:
            traffic = Traffic(a_day=a_day, before=before, after=after, past=past)
            late = delays(random, traffic, streams=math.ceil(scale * _DELAYS), most=math.ceil(4 * theory))
            median = _middle(late)
            with_past = theoretical_delay_with_past(before, after, answers_between, past)
            yield DelayRow(
                answers_a_day=a_day,
                fall=fall,
                past=past,
                theory=round(theory),
                theory_with_past=_finite(float(np.round(with_past))),
                median=_finite(median),
                p90=_finite(float(np.quantile(late, 0.9, method="higher"))),
                median_days=_finite(round(median / a_day, 2)),
                ratio=_finite(round(median / theory, 2)),
                ratio_with_past=_finite(round(median / with_past, 2)) if math.isfinite(with_past) else None,
            )


def _middle(late: Floats) -> float:
    return float(np.quantile(late, 0.5, method="higher"))


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
