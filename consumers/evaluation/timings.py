"""An event's way through the stages, timed: what a trace of it is drawn from once it has ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

_SAMPLED = 1
"""The bit of W3C's trace flags that says the sender keeps the trace."""


class Stage(NamedTuple):
    """One stage that an event passed."""

    name: str
    began: float
    """Seconds, monotonic."""
    ended: float


@dataclass(slots=True, eq=False)
class Trail:
    """The stages of one event, noted as it passes them."""

    began: float
    """Seconds, monotonic."""
    traceparent: str | None
    """W3C trace context that the event came with: the span of the answer itself, or of who sent it."""
    stages: list[Stage] = field(default_factory=list[Stage])

    def passed(self, name: str, began: float, ended: float) -> None:
        """Notes a stage."""
        self.stages.append(Stage(name, began, ended))


class OnTrail(Protocol):
    """What may have a trail."""

    @property
    def trail(self) -> Trail | None:
        """The event's, where it is traced."""
        ...


def trails_of(things: Iterable[OnTrail]) -> Sequence[Trail]:
    """The trails of those that are traced."""
    return [each.trail for each in things if each.trail is not None]


def is_wanted(traceparent: str | None) -> bool:
    """Whether an event's trace may be kept: its sender says so in the flags, or leaves it to us.

    >>> is_wanted("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"), is_wanted(None)
    (False, True)
    """
    return traceparent is None or int(traceparent[-2:], 16) & _SAMPLED == _SAMPLED
