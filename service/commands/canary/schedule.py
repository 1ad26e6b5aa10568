"""Which canary is asked when. Decides without a clock: the time is an argument."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

_SPREAD = 0.1
"""Share of the interval by which each next asking is moved, so that canaries and processes do not keep step."""


class CanarySchedule:
    """The next time of each canary. Times are seconds since 1970."""

    def __init__(
        self, case_ids: Iterable[str], every: float, asked: Mapping[str, float], now: float, chance: random.Random
    ) -> None:
        """Those never asked are due at once, and those asked before one interval after that."""
        self._every, self._chance = every, chance
        self._next = {each: self._after(min(asked[each], now)) if each in asked else now for each in case_ids}

    def take_due(self, now: float) -> str | None:
        """The canary that has waited longest, if one is due; its next time is set."""
        first = min(self._next, key=self._next.__getitem__)
        if self._next[first] > now:
            return None
        self._next[first] = self._after(now)
        return first

    def pause(self, now: float) -> float:
        """Seconds until one is due."""
        return max(0.0, min(self._next.values()) - now)

    def _after(self, moment: float) -> float:
        return moment + self._every * self._chance.uniform(1 - _SPREAD, 1 + _SPREAD)
