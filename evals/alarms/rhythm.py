"""When an agent has been silent for longer than its own rhythm explains.

The rhythm is how many answers an agent gives in each hour of the week. Over a silence it says how many answers were
expected; of answers that come at random with this rhythm, none come in a share of exp(−expected) of the times.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

HOUR = 3600.0
_DAY_HOURS, WEEK_HOURS = 24, 168
HISTORY_HOURS = 4 * WEEK_HOURS
"""How long the history is from which a rhythm is learned."""
FORGOTTEN_HOURS = 2 * WEEK_HOURS
"""An agent that was silent for so long is no longer expected."""
LEAST_DAYS = 3
"""Days with answers that make a rhythm."""
FALSE_A_YEAR = 0.05
"""Silences a year that may be found by chance, where answers come at random with the rhythm."""
_LEARNED_MARGIN = 1.25
"""A rhythm of a few weeks is known only so well."""
LEAST_SILENCE = 1_800.0
"""Seconds. A shorter silence is none, however many answers were expected."""
_NIGHT = 12 * HOUR
_USUAL_SILENCE = 2.0
"""A silence is found at so many times the second longest of the history. The longest may have been a holiday."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """What is expected of one agent."""

    expected: tuple[float, ...]
    """Answers in each hour of the week, from Monday 00:00 UTC."""
    bound: float
    """Expected answers in a silence that is none by chance."""

    def silence(self, last: float, now: float) -> float:
        """Answers expected from the latest one until now, as a share of the bound: an agent is silent from 1 on.

        0 in the first half hour and once the agent is forgotten. The rhythm may be an hour early or late, as clocks
        change, also within a silence that is long enough to hold a night.
        """
        if not LEAST_SILENCE <= now - last <= FORGOTTEN_HOURS * HOUR:
            return 0.0
        spans = [(last + shift, now + shift) for shift in (-HOUR, 0.0, HOUR)]
        if now - last >= _NIGHT:
            spans.append((last, now - HOUR))
        return min(self._between(*span) for span in spans) / self.bound

    def _between(self, start: float, end: float) -> float:
        first, last = math.floor(start / HOUR), math.floor(end / HOUR)
        whole = sum(self.expected[hour_of_week(hour)] for hour in range(first, last))
        before, after = (start / HOUR - first), (end / HOUR - last)
        return whole - before * self.expected[hour_of_week(first)] + after * self.expected[hour_of_week(last)]


def hour_of_week(hour: int) -> int:
    """The hour of the week of an hour since 1970, which began on a Thursday.

    >>> hour_of_week(0), hour_of_week(4 * 24)
    (72, 0)
    """
    return (hour + 3 * _DAY_HOURS) % WEEK_HOURS


def learned_rhythm(answers: Mapping[int, int], last: int) -> Rhythm | None:
    """The rhythm of an agent by its answers in each hour since 1970; `None` while it has answered on too few days.

    `last` is the hour of its latest answer: the silence since then is not learned.
    """
    hours = {hour: count for hour, count in answers.items() if last - HISTORY_HOURS < hour <= last and count}
    if len({hour // _DAY_HOURS for hour in hours}) < LEAST_DAYS:
        return None
    first = min(hours)
    expected = _expected(hours, first, last)
    usual = sorted([0.0, 0.0, *_silences(hours, expected, first, last)])[-2]
    a_year = sum(expected) * 365.25 / 7
    by_chance = _LEARNED_MARGIN * math.log(max(a_year, 1.0) / FALSE_A_YEAR)
    return Rhythm(expected=expected, bound=max(by_chance, _USUAL_SILENCE * usual))


def _expected(hours: Mapping[int, int], first: int, last: int) -> tuple[float, ...]:
    """Answers in each hour of the week. In the first week, a working day yet unseen is like those before it."""
    seen, found = defaultdict[int, int](int), defaultdict[int, int](int)
    days, workdays = defaultdict[int, int](int), defaultdict[int, int](int)
    for hour in range(first, last + 1):
        place, count = hour_of_week(hour), hours.get(hour, 0)
        seen[place] += 1
        found[place] += count
        if place < 5 * _DAY_HOURS:
            days[place % _DAY_HOURS] += 1
            workdays[place % _DAY_HOURS] += count

    def of(place: int) -> float:
        hour_of_day = place % _DAY_HOURS
        if seen[place]:
            return found[place] / seen[place]
        return workdays[hour_of_day] / days[hour_of_day] if place < 5 * _DAY_HOURS and days[hour_of_day] else 0.0

    return tuple(of(place) for place in range(WEEK_HOURS))


def _silences(hours: Mapping[int, int], expected: tuple[float, ...], first: int, last: int) -> list[float]:
    """Answers that were expected in each run of hours without one."""
    found, current = list[float](), 0.0
    for hour in range(first, last + 1):
        if hours.get(hour):
            found.append(current)
            current = 0.0
        else:
            current += expected[hour_of_week(hour)]
    return [each for each in found if each]
