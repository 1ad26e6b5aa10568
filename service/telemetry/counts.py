"""What is counted of telemetry itself."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

Signal: TypeAlias = Literal["spans", "results"]
End: TypeAlias = Literal["exported", "failed", "dropped"]
"""`failed`: the collector did not take them; `dropped`: too many waited."""


class TelemetryCounts(Protocol):
    """Counts what became of spans and results. Called from any thread."""

    def told(self, signal: Signal, end: End, count: int) -> None:
        """So many ended so."""
        ...
