"""Limits the rate of model calls: by calls a minute, by space between calls, and by what the server asks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Rate:
    """Spaces calls. `now` is in seconds of any monotonic clock.

    >>> rate = Rate(per_minute=60, burst=1)
    >>> rate.reserve(0.0), rate.reserve(0.0), rate.reserve(5.0)
    (0.0, 1.0, 0.0)
    >>> rate = Rate(apart=0.25)
    >>> rate.reserve(0.0), rate.reserve(0.0), rate.reserve(0.0), rate.reserve(5.0)
    (0.0, 0.25, 0.5, 0.0)
    """

    per_minute: float | None = None
    """`None` is no limit."""
    burst: float = 10.0
    """Calls that may follow each other without a wait after a pause."""
    apart: float = 0.0025
    """Least seconds between two calls, about the processor time of one: replies that arrive together wait for each
    other while they hold their slots, and the calls after them would arrive together again."""
    _next: float = float("-inf")
    """When the next call is due if calls are evenly spaced."""
    _last: float = float("-inf")
    """When the last reserved call is due."""
    _held_until: float = float("-inf")

    def reserve(self, now: float) -> float:
        """Reserves a call; returns the seconds to wait before it."""
        due = max(now, self._held_until, self._last + self.apart)
        if self.per_minute is not None:
            space = 60.0 / self.per_minute
            evenly = max(self._next, now - (self.burst - 1) * space)
            self._next = evenly + space
            due = max(due, evenly)
        self._last = due
        return due - now

    def held_for(self, now: float) -> float:
        """Seconds until the time that the server asked to wait for."""
        return max(0.0, self._held_until - now)

    def delay(self, now: float) -> float:
        """Seconds that a call reserved now would wait."""
        evenly = now if self.per_minute is None else self._next
        return max(0.0, evenly - now, self._last + self.apart - now, self.held_for(now))

    def hold_until(self, moment: float) -> None:
        """Lets no call begin before the moment that the server named."""
        self._held_until = max(self._held_until, moment)
