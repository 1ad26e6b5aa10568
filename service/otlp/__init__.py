"""OpenTelemetry's wire: trace data as spans, spans as trace data for Kafka, and the replies that exporters expect."""

from __future__ import annotations

from consumers.spans import SpanTable
from service.otlp.export import Export, of_tenant
from service.otlp.json_encoding import read_json
from service.otlp.protobuf import read_protobuf, write_protobuf

__all__ = ["Export", "of_tenant", "read_otlp", "write_protobuf"]


def read_otlp(body: bytes, table: SpanTable, *, as_json: bool | None = None) -> Export:
    """The spans of an `ExportTraceServiceRequest`; raises `InvalidEvent` where the bytes hold none.

    Without `as_json` the first byte tells the encoding: JSON opens a brace, which no protobuf of this message does.
    """
    in_json = body[:1] == b"{" if as_json is None else as_json
    return read_json(body, table) if in_json else read_protobuf(body, table)
