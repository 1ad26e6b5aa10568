"""When new agents that are bad from their first answer on are found by what a judge says of them.

How many wrong answers a judge calls wrong depends on what it knows of the house, so the ticket of `wrong` is simulated
for each way of judging. The page of `below` depends on the bound, which a tenant may raise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evals.alarms.agent_alarm import JUDGED_WRONG
from evals.alarms.judged_bins import JudgedBins
from evals.alarms.simulation import BelowStreams, Floats, WatchedStreams, draw_p_alone

_AN_HOUR = 20.0
"""Traffic of the agents; the figures are nearly the same at any other."""
_YEARS = 1 / (_AN_HOUR * 8_766.0)
_MOST = 5_000
"""Answers after which an agent counts as never found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WayOfJudging:
    """What a judge knows of a house, and the shares that it then calls wrong of right and of wrong answers.

    Counted on answers of 41 companies.
    """

    knows: str
    of_right: float
    of_wrong: float
    bound: float = JUDGED_WRONG
    """The share above which a ticket opens."""

    def judged_wrong(self, right: float) -> float:
        """The share that is judged wrong of an agent with so many right answers."""
        return right * self.of_right + (1 - right) * self.of_wrong


WAYS = (
    WayOfJudging(knows="nothing", of_right=0.02, of_wrong=0.12),
    WayOfJudging(knows="nothing", of_right=0.02, of_wrong=0.12, bound=0.05),
    WayOfJudging(knows="a dictionary, by patterns", of_right=0.02, of_wrong=0.42),
    WayOfJudging(knows="a dictionary, by a model", of_right=0.06, of_wrong=0.62),
)
BOUNDS = (50.0, 65.0)
"""Lowest scores of the tier Marginal: the default, and one above what an agent of wrong answers reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAgentRow:
    """Answers until new agents with so many right answers are found. `None` where most are not."""

    alarm: str
    knows: str
    bound: float
    right: float
    median: float | None
    p90: float | None


def new_agent_rows(
    random: np.random.Generator, bins: JudgedBins, rights: Sequence[float], agents: int
) -> Iterator[NewAgentRow]:
    """The ticket of `wrong` by each way of judging, and the page of `below` by each bound."""
    for way in WAYS:
        for right in rights:
            late = ticket_delays(random, way, right, agents)
            yield _row("wrong", way.knows, way.bound, right, late)
    for bound in BOUNDS:
        for right in rights:
            late = page_delays(random, bins, bound, right, agents)
            yield _row("below", "as on the development set", bound, right, late)


def ticket_delays(random: np.random.Generator, way: WayOfJudging, right: float, agents: int) -> Floats:
    """Answers of each agent until the ticket; infinite without one."""
    share = way.judged_wrong(right)

    def answer() -> tuple[Floats, Floats]:
        # only the order of `p_alone` counts for the weights, and it says nothing of these agents
        return random.random(agents), np.where(random.random(agents) < share, 0.0, 100.0)

    return _delays(random, answer, 100 * (1 - way.bound), agents)


def page_delays(random: np.random.Generator, bins: JudgedBins, bound: float, right: float, agents: int) -> Floats:
    """Answers of each agent until its mean score is surely below the bound; infinite where that is never."""
    shares = bins.shares.mixed(right)

    def answer() -> tuple[Floats, Floats]:
        p_alone = draw_p_alone(random, shares, (agents,))
        return p_alone, bins.scores[(p_alone * len(bins.scores)).astype(int)]

    return _delays(random, answer, bound, agents)


def _delays(
    random: np.random.Generator, answer: Callable[[], tuple[Floats, Floats]], bound: float, agents: int
) -> Floats:
    fall = WatchedStreams.with_past(random, np.ones(20), agents, 0)
    below = BelowStreams.without_past(agents)
    while below.taken < _MOST and not below.alarmed.all():
        p_alone, scores = answer()
        fall.add(p_alone, random.random(agents), _YEARS)
        below.add(scores, bound, _YEARS, 1 / fall.effects())
    return np.where(below.alarmed > 0, below.alarmed, np.inf).astype(float)


def _row(alarm: str, knows: str, bound: float, right: float, late: Floats) -> NewAgentRow:
    median, p90 = (float(np.quantile(late, share, method="higher")) for share in (0.5, 0.9))
    return NewAgentRow(
        alarm=alarm,
        knows=knows,
        bound=bound,
        right=right,
        median=median if np.isfinite(median) else None,
        p90=p90 if np.isfinite(p90) else None,
    )
