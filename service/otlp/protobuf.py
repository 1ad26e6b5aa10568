"""Reads and writes OTLP trace data in protobuf."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import cast

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1 import trace_pb2
from pydantic import JsonValue

from consumers.spans import Span, SpanTable
from consumers.wire.events import InvalidEvent, InvalidReason
from consumers.wire.texts import shorten
from service.otlp.export import MAX_DEPTH, Attributes, Export, SpanIdentity, SpanReader, flags_of, read_spans, span_of


def read_protobuf(body: bytes, table: SpanTable) -> Export:
    """Reads the spans; raises `InvalidEvent` where the bytes are not trace data."""
    try:
        request = ExportTraceServiceRequest.FromString(body)
    except DecodeError as error:
        detail = (
            f"the bytes are not OTLP trace data in protobuf ({shorten(str(error))}): send ExportTraceServiceRequest"
        )
        raise InvalidEvent(InvalidReason.NOT_OTLP, detail) from None
    return read_spans(_readers(request, table))


def _readers(request: ExportTraceServiceRequest, table: SpanTable) -> Iterator[SpanReader]:
    names, resource_names = table.span_names(), table.resource_names()
    for group in request.resource_spans:
        resource = _attributes(group.resource.attributes, resource_names)
        for scope in group.scope_spans:
            for each in scope.spans:
                yield partial(_read, each, names, resource)


def _read(span: trace_pb2.Span, names: frozenset[str], resource: Attributes) -> Span:
    identity = SpanIdentity(span.trace_id, span.span_id, span.parent_span_id, span.flags)
    return span_of(identity, span.start_time_unix_nano, _attributes(span.attributes, names), resource)


def _attributes(pairs: Iterable[KeyValue], names: frozenset[str]) -> Attributes:
    return {pair.key: _value(pair.value, 0) for pair in pairs if pair.key in names}


def _value(value: AnyValue, depth: int) -> JsonValue:
    kind = value.WhichOneof("value")
    if kind is None or depth > MAX_DEPTH:
        return None
    if kind == "array_value":
        return [_value(each, depth + 1) for each in value.array_value.values]
    if kind == "kvlist_value":
        return {each.key: _value(each.value, depth + 1) for each in value.kvlist_value.values}
    if kind == "bytes_value":
        return base64.b64encode(value.bytes_value).decode()
    return cast("JsonValue", getattr(value, kind))


def write_protobuf(spans: Sequence[Span]) -> bytes:
    """Writes spans as an `ExportTraceServiceRequest` that `read_protobuf` reads back."""
    request = ExportTraceServiceRequest()
    resource: Attributes | None = None
    for each in spans:
        if resource is None or each.resource != resource:
            resource = each.resource
            group = request.resource_spans.add(resource=Resource(attributes=_pairs(resource)))
            group.scope_spans.add()
        request.resource_spans[-1].scope_spans[0].spans.append(_span_message(each))
    return request.SerializeToString()


def _span_message(span: Span) -> trace_pb2.Span:
    return trace_pb2.Span(
        trace_id=bytes.fromhex(span.trace_id),
        span_id=bytes.fromhex(span.span_id),
        parent_span_id=bytes.fromhex(span.parent_id or ""),
        flags=flags_of(span),
        start_time_unix_nano=span.start_nanos,
        attributes=_pairs(span.attributes),
    )


def _pairs(attributes: Attributes) -> list[KeyValue]:
    return [KeyValue(key=key, value=_any(value)) for key, value in attributes.items()]


def _any(value: JsonValue) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int():
            # OTLP has no longer integers
            fits = -(1 << 63) <= value < 1 << 63
            return AnyValue(int_value=value) if fits else AnyValue(string_value=str(value))
        case float():
            return AnyValue(double_value=value)
        case str():
            return AnyValue(string_value=value)
        case list():
            return AnyValue(array_value=ArrayValue(values=[_any(each) for each in value]))
        case dict():
            return AnyValue(kvlist_value=KeyValueList(values=_pairs(value)))
        case None:
            return AnyValue()
