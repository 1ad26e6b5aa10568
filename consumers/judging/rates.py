"""How fast a model may be asked: so many calls a minute, never two at a moment, and none before the time it names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Rate:
    """Spaces calls. Clock-free: `now` is in seconds, of any clock that only rises.

    >>> rate = Rate(per_minute=60, burst=1)
    >>> rate.wait(0.0), rate.wait(0.0), rate.wait(5.0)
    (0.0, 1.0, 0.0)
    >>> rate = Rate(apart=0.25)
    >>> rate.wait(0.0), rate.wait(0.0), rate.wait(0.0), rate.wait(5.0)
    (0.0, 0.25, 0.5, 0.0)
    """

    per_minute: float | None = None
    """`None` is as fast as one likes."""
    burst: float = 10.0
    """Calls that the minute's rate lets pass together after a pause."""
    apart: float = 0.0025
    """Seconds between two calls at least, about what one costs the processor: replies that come together would wait for
    each other, each with its slot, and what they let go together would come together again."""
    _next: float = float("-inf")
    """When the next call is due, were calls evenly spaced."""
    _last: float = float("-inf")
    """When the last call taken is due."""
    _held: float = float("-inf")

    def wait(self, now: float) -> float:
        """Seconds to wait before the call that is taken hereby."""
        due = max(now, self._held, self._last + self.apart)
        if self.per_minute is not None:
            space = 60.0 / self.per_minute
            evenly = max(self._next, now - (self.burst - 1) * space)
            self._next = evenly + space
            due = max(due, evenly)
        self._last = due
        return due - now

    def held(self, now: float) -> float:
        """Seconds until the time that the server named."""
        return max(0.0, self._held - now)

    def delay(self, now: float) -> float:
        """Seconds that a call asked for now would wait."""
        evenly = now if self.per_minute is None else self._next
        return max(0.0, evenly - now, self._last + self.apart - now, self.held(now))

    def hold(self, until: float) -> None:
        """The server said when to come again."""
        self._held = max(self._held, until)
