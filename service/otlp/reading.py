"""Reads the spans of an export, whatever its encoding."""

from __future__ import annotations

from consumers.spans import SpanTable
from service.otlp.export import Export
from service.otlp.json_encoding import read_json
from service.otlp.protobuf import read_protobuf

MAX_SPANS = 50_000
"""Most spans of one export."""


def read_otlp(body: bytes, table: SpanTable, *, as_json: bool | None = None) -> Export:
    """Reads the spans of an `ExportTraceServiceRequest`; raises `InvalidEvent` for other bytes.

    More than `MAX_SPANS` are `EVENT_TOO_LARGE`.

    Without `as_json` the first byte decides: JSON begins with a brace, and protobuf of this message never does.
    """
    in_json = body[:1] == b"{" if as_json is None else as_json
    return read_json(body, table, MAX_SPANS) if in_json else read_protobuf(body, table, MAX_SPANS)
