"""Simulates the page on answers of no use: what its rule in `deploy/` says after each answer of an agent."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evals.alarms.simulation import Floats

HOURS = (1, 72)
"""The windows: the hour finds a busy agent, three days one of few answers."""
LEAST_USABLE, SURE = 0.5, 4.0
"""Pages where surely less than this share may be of use, by so many standard deviations."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusablePages:
    """When agents are paged."""

    first: Floats
    """Answers of each agent until its first page; infinite without one."""
    pages: int


def unusable_pages(
    random: np.random.Generator, *, unusable: float, an_hour: float, agents: int, answers: int
) -> UnusablePages:
    """Agents from their first answer on, of whose answers this share is surely of no use.

    >>> random = np.random.default_rng(1)
    >>> unusable_pages(random, unusable=1.0, an_hour=1.0, agents=1, answers=50).first.tolist()
    [17.0]
    """
    first, pages = np.full(agents, np.inf), 0
    for agent in range(agents):
        fires = _fires((random.random(answers) < unusable).astype(float), an_hour)
        if fires.any():
            first[agent] = int(fires.argmax()) + 1
        pages += int(fires[0]) + int((fires[1:] & ~fires[:-1]).sum())
    return UnusablePages(first=first, pages=pages)


def _fires(useless: Floats, an_hour: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether the rule holds after each answer."""
    total, taken = np.concatenate([[0.0], useless.cumsum()]), np.arange(1, len(useless) + 1)
    fires = np.zeros(len(useless), dtype=bool)
    for hours in HOURS:
        count = np.minimum(taken, max(math.floor(an_hour * hours), 1))
        share = (total[taken] - total[taken - count]) / count
        fires |= share > 1 - LEAST_USABLE + SURE * np.sqrt(LEAST_USABLE * (1 - LEAST_USABLE) / count)
    return fires
