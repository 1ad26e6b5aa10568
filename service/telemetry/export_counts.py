"""Counts of exported telemetry."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

Signal: TypeAlias = Literal["spans", "results"]
ExportOutcome: TypeAlias = Literal["exported", "failed", "dropped"]
"""`failed`: the collector did not accept them; `dropped`: the backlog was full."""


class TelemetryCounts(Protocol):
    """Counts exported spans and results. Safe in any thread."""

    def record_export(self, signal: Signal, outcome: ExportOutcome, count: int) -> None:
        """Counts spans or results by outcome."""
        ...
