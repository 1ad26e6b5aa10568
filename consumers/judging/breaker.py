"""A circuit breaker: stops calls of a model after failures in a row, until a trial call succeeds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BreakerState(StrEnum):
    """Which calls pass."""

    CLOSED = "closed"
    """All."""
    OPEN = "open"
    """None, for a while."""
    HALF_OPEN = "half_open"
    """One trial call."""


@dataclass(slots=True, kw_only=True)
class Breaker:
    """Counts failures in a row. `now` is in seconds of any monotonic clock.

    >>> breaker = Breaker(failures=2, cool_down=10)
    >>> breaker.failed(0), breaker.failed(1), breaker.admits(5), breaker.admits(11), breaker.admits(11)
    (None, None, False, True, False)
    >>> breaker.succeeded(), breaker.admits(12)
    (None, True)
    """

    failures: int = 5
    """Failures in a row that open it."""
    cool_down: float = 5.0
    """Seconds it stays open at first; doubled each time a trial call fails, up to `longest`."""
    longest: float = 60.0
    last: str = ""
    """The last failure, in the words of the server; empty after a success."""
    _in_a_row: int = 0
    _until: float | None = None
    _current: float = 0.0
    """The current cool-down in seconds."""
    _trial: float | None = None
    """When the trial call began."""

    def admits(self, now: float) -> bool:
        """Whether a call may begin. After the cool-down one trial call may, and another if that one does not end."""
        state = self.state(now)
        if state is BreakerState.CLOSED:
            return True
        if state is BreakerState.OPEN or (self._trial is not None and now < self._trial + self._current):
            return False
        self._trial = now
        return True

    def state(self, now: float) -> BreakerState:
        """The state at this time."""
        if self._until is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if now < self._until else BreakerState.HALF_OPEN

    def succeeded(self) -> None:
        """Notes a success, which closes the breaker."""
        self._in_a_row, self._until, self._current, self._trial, self.last = 0, None, 0.0, None, ""

    def trip(self, now: float, said: str = "") -> None:
        """Notes a failure that waiting a little does not mend: the breaker opens at once."""
        self._in_a_row = max(self._in_a_row, self.failures - 1)
        self.failed(now, said)

    def failed(self, now: float, said: str = "") -> None:
        """Notes a failure, and what the server said."""
        self._in_a_row += 1
        self.last = said
        if self.state(now) is BreakerState.OPEN or self._in_a_row < self.failures:
            return
        self._current = min(self.longest, self._current * 2 or self.cool_down)
        self._until, self._trial = now + self._current, None
