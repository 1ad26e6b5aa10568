"""When an event passed which stage: its trace is drawn from these timings once it has ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

_SAMPLED = 1
"""The bit of W3C's trace flags that says the sender keeps the trace."""


class StageTiming(NamedTuple):
    """One stage that an event passed."""

    name: str
    began: float
    """Seconds, monotonic."""
    ended: float


@dataclass(slots=True, eq=False)
class StageTimings:
    """The stages of one event, in the order they ended."""

    began: float
    """Seconds, monotonic."""
    traceparent: str | None
    """W3C trace context of the event: the span of the answer itself, or of its sender."""
    stages: list[StageTiming] = field(default_factory=list[StageTiming])

    def add(self, name: str, began: float, ended: float) -> None:
        """Adds a stage that has ended."""
        self.stages.append(StageTiming(name, began, ended))


class Timed(Protocol):
    """An event whose stages may be timed."""

    @property
    def timings(self) -> StageTimings | None:
        """`None` where the event is not traced."""
        ...


def timings_of(events: Iterable[Timed]) -> Sequence[StageTimings]:
    """The timings of the events that are traced."""
    return [each.timings for each in events if each.timings is not None]


def is_wanted(traceparent: str | None) -> bool:
    """Whether to trace an event: its sender samples the trace, or sends no trace context.

    >>> is_wanted("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"), is_wanted(None)
    (False, True)
    """
    return traceparent is None or int(traceparent[-2:], 16) & _SAMPLED == _SAMPLED
