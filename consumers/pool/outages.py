"""Calls repeated while a dependency is down, and how many of them wait for a store or rules."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from consumers.errors import RulesUnavailable, StoreUnavailable, Unavailable
from consumers.ports import Outcomes
from consumers.queueing.retrying import Backoff, retry_while_unavailable

Result = TypeVar("Result")


@dataclass(slots=True)
class Outages:
    """Counts each failed call, and knows how many calls a store or rules keep waiting."""

    outcomes: Outcomes
    backoff: Backoff
    excused: int = 0
    """Calls whose last failure was a store's or the rules'. Kafka's do not count: the drivers know if it answers."""

    async def retry(self, call: Callable[[], Awaitable[Result]], *, patience: float | None) -> Result:
        """Returns what `call` returns; raises the last `Unavailable` after `patience` seconds, `None` never."""
        excused = False

        def note(error: Unavailable) -> None:
            nonlocal excused
            self.outcomes.stalled(type(error).__name__, error)
            before, excused = excused, isinstance(error, StoreUnavailable | RulesUnavailable)
            self.excused += excused - before

        try:
            return await retry_while_unavailable(call, self.backoff, on_failure=note, patience=patience)
        finally:
            self.excused -= excused
