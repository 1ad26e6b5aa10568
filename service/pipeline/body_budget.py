"""Bounds the memory of HTTP requests that are handled at once, and gives every sender a share of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from consumers.queueing.work_turns import WorkTurns

READERS = 2
"""Large bodies that are read at once: each needs a core, and the event loop needs one too."""


@dataclass(slots=True, kw_only=True)
class BodyBudget:
    """How much memory the requests of each sender hold, in bytes."""

    most: int
    held: int = 0
    by_sender: Counter[str] = field(default_factory=Counter[str])
    reading: WorkTurns = field(default_factory=lambda: WorkTurns(READERS))
    """Turns at reading large bodies, of every sender alike."""

    def hold(self, sender: str) -> BodyHold:
        """What one request of `sender` holds: nothing yet."""
        return BodyHold(self, sender)


@dataclass(slots=True)
class BodyHold:
    """The memory that one request holds."""

    budget: BodyBudget
    sender: str
    size: int = 0

    def grow(self, more: int) -> bool:
        """Holds `more` bytes if they fit, and returns whether they do.

        A sender may hold no more than what then stays free. One sender thus gets half of the budget, the next one a
        third, and some always remains for one that holds nothing. A request that is alone always fits.
        """
        budget = self.budget
        alone = budget.held == self.size
        if not alone and budget.by_sender[self.sender] + budget.held + 2 * more > budget.most:
            return False
        self._add(more)
        return True

    def release(self) -> None:
        """Gives everything back."""
        self._add(-self.size)

    def _add(self, more: int) -> None:
        self.size += more
        self.budget.held += more
        self.budget.by_sender[self.sender] += more
        if not self.budget.by_sender[self.sender]:
            del self.budget.by_sender[self.sender]
