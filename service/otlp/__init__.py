"""OpenTelemetry's protocol: reads trace data as spans, writes spans for Kafka, and answers exporters.

Change this here when an encoding of OpenTelemetry is read or answered in another way; then `docs/events.md`.
"""

from __future__ import annotations

from consumers.spans import SpanTable
from service.otlp.export import Export, without_foreign_spans
from service.otlp.json_encoding import read_json
from service.otlp.protobuf import read_protobuf, write_protobuf

__all__ = ["MAX_SPANS", "Export", "read_otlp", "without_foreign_spans", "write_protobuf"]


MAX_SPANS = 50_000
"""Most spans of one export."""


def read_otlp(body: bytes, table: SpanTable, *, as_json: bool | None = None) -> Export:
    """Reads the spans of an `ExportTraceServiceRequest`; raises `InvalidEvent` for other bytes.

    More than `MAX_SPANS` are `EVENT_TOO_LARGE`.

    Without `as_json` the first byte decides: JSON begins with a brace, and protobuf of this message never does.
    """
    in_json = body[:1] == b"{" if as_json is None else as_json
    return read_json(body, table, MAX_SPANS) if in_json else read_protobuf(body, table, MAX_SPANS)
