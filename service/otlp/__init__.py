"""OpenTelemetry's protocol: reads trace data as spans, writes spans for Kafka, and answers exporters.

Change this here when an encoding of OpenTelemetry is read or answered in another way; then `docs/events.md`.
"""

from __future__ import annotations

from service.otlp.export import Export, without_foreign_spans
from service.otlp.protobuf import write_protobuf
from service.otlp.reading import MAX_SPANS, read_otlp

__all__ = ["MAX_SPANS", "Export", "read_otlp", "without_foreign_spans", "write_protobuf"]
