"""How fast a model may be asked: so many calls a minute, and none before the time it names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True, kw_only=True)
class Rate:
    """Spaces calls evenly. Clock-free: `now` is in seconds, of any clock that only rises.

    >>> rate = Rate(per_minute=60, burst=1)
    >>> rate.wait(0.0), rate.wait(0.0), rate.wait(5.0)
    (0.0, 1.0, 0.0)
    """

    per_minute: float | None = None
    """`None` is as fast as one likes."""
    burst: float = 10.0
    """Calls that may be made at once after a pause."""
    _next: float = float("-inf")
    """When the next call is due, were calls evenly spaced."""
    _held: float = float("-inf")

    def wait(self, now: float) -> float:
        """Seconds to wait before the call that is taken hereby."""
        held = self.held(now)
        if self.per_minute is None:
            return held
        space = 60.0 / self.per_minute
        due = max(self._next, now - (self.burst - 1) * space)
        self._next = due + space
        return max(0.0, due - now, held)

    def held(self, now: float) -> float:
        """Seconds until the time that the server named."""
        return max(0.0, self._held - now)

    def delay(self, now: float) -> float:
        """Seconds that a call asked for now would wait."""
        held = self.held(now)
        return held if self.per_minute is None else max(0.0, self._next - now, held)

    def hold(self, until: float) -> None:
        """The server said when to come again."""
        self._held = max(self._held, until)
