"""When a model is left alone: after failures in a row, for a while that grows, until one call comes back."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class BreakerState(StrEnum):
    """Whether calls pass."""

    CLOSED = "closed"
    """They do."""
    OPEN = "open"
    """None does, for a while."""
    HALF_OPEN = "half_open"
    """One does, to see."""


@dataclass(slots=True, kw_only=True)
class Breaker:
    """Counts failures in a row. Clock-free: `now` is in seconds, of any clock that only rises.

    >>> breaker = Breaker(failures=2, rest=10)
    >>> breaker.failed(0), breaker.failed(1), breaker.admits(5), breaker.admits(11), breaker.admits(11)
    (None, None, False, True, False)
    >>> breaker.succeeded(), breaker.admits(12)
    (None, True)
    """

    failures: int = 5
    """As many in a row open it."""
    rest: float = 5.0
    """Seconds it stays open the first time; doubled each time the one call fails, up to `longest`."""
    longest: float = 60.0
    _in_a_row: int = 0
    _until: float | None = None
    _resting: float = 0.0
    _trial: float | None = None
    """When the one call was let through."""

    def admits(self, now: float) -> bool:
        """Whether a call may be made; after the rest one is, and again one when that was not heard of for a rest."""
        state = self.state(now)
        if state is BreakerState.CLOSED:
            return True
        if state is BreakerState.OPEN or (self._trial is not None and now < self._trial + self._resting):
            return False
        self._trial = now
        return True

    def state(self, now: float) -> BreakerState:
        """Whether calls pass at this time."""
        if self._until is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if now < self._until else BreakerState.HALF_OPEN

    def succeeded(self) -> None:
        """A call was answered: it closes."""
        self._in_a_row, self._until, self._resting, self._trial = 0, None, 0.0, None

    def failed(self, now: float) -> None:
        """A call was not answered, or with the server's own failure."""
        self._in_a_row += 1
        if self.state(now) is BreakerState.OPEN or self._in_a_row < self.failures:
            return
        self._resting = min(self.longest, self._resting * 2 or self.rest)
        self._until, self._trial = now + self._resting, None
