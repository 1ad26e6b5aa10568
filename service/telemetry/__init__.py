"""OpenTelemetry, behind the extra `telemetry`: a trace of each event, and results as `gen_ai.evaluation.result`.

Only `exporting` needs the extra, and it is imported when telemetry is turned on.

Change this here when a trace or an exported result has other attributes; then `docs/operations.md`.
"""

from __future__ import annotations

from service.telemetry.activation import open_telemetry
from service.telemetry.tracing import Telemetry, TracedOutcomes, TracedResults

__all__ = ["Telemetry", "TracedOutcomes", "TracedResults", "open_telemetry"]
