"""OpenTelemetry, behind the extra `telemetry`: a trace of each event's way, and results as `gen_ai.evaluation.result`.

Only `exporting` needs the extra, and it is imported when telemetry is turned on.
"""

from __future__ import annotations

from service.telemetry.following import Telemetry, TracedOutcomes, TracedResults
from service.telemetry.opening import open_telemetry

__all__ = ["Telemetry", "TracedOutcomes", "TracedResults", "open_telemetry"]
