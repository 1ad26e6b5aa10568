"""When too many records are dead letters to go on reading."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetterPolicy:
    """How many dead letters mean that a producer or this reader is broken, so that reading stops."""

    consecutive: int = 500
    """Dead letters in a row; 0 is no limit."""
    ratio: float = 0.5
    """Share of the last `window` records, in (0, 1]; 1 is no limit."""
    window: int = 1000


@dataclass(slots=True)
class DeadLetterLimit:
    """Counts dead letters against a policy. A decider: the driver stops.

    >>> limit = DeadLetterLimit(DeadLetterPolicy(consecutive=2))
    >>> limit.count(dead=True); limit.exceeded is None
    True
    >>> limit.count(dead=True); limit.exceeded
    '2 dead letters in a row'
    """

    policy: DeadLetterPolicy
    exceeded: str | None = None
    """Why to stop; never reset."""
    _row: int = 0
    _dead: int = 0
    _last: deque[bool] = field(default_factory=deque[bool])

    def count(self, *, dead: bool) -> None:
        """Counts a record that ended, as a dead letter or otherwise."""
        self._row = self._row + 1 if dead else 0
        self._last.append(dead)
        self._dead += dead
        if len(self._last) > self.policy.window:
            self._dead -= self._last.popleft()
        self.exceeded = self.exceeded or self._over()

    def _over(self) -> str | None:
        policy = self.policy
        if policy.consecutive and self._row >= policy.consecutive:
            return f"{self._row} dead letters in a row"
        if len(self._last) == policy.window and self._dead > policy.ratio * policy.window:
            return f"{self._dead} dead letters among the last {policy.window} records"
        return None
