"""Reads and writes OTLP trace data in protobuf."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1 import trace_pb2
from pydantic import JsonValue

from consumers.spans import Span, SpanTable
from consumers.spans.attributes import is_read
from consumers.wire.events import InvalidEvent, InvalidReason
from consumers.wire.texts import shorten
from service.otlp.export import (
    EVENT_NAMES,
    MAX_DEPTH,
    MAX_SPAN_BYTES,
    MAX_VALUES,
    UNREAD,
    Attributes,
    Export,
    InvalidSpan,
    Said,
    SpanIdentity,
    SpanReader,
    flags_of,
    read_spans,
    span_of,
    too_many,
    unread_names,
    with_events,
    with_status,
)
from service.otlp.protobuf_outline import NotProtobuf, ResourceOutline, Slice, TooManyParts, outline


def read_protobuf(body: bytes, table: SpanTable, most: int) -> Export:
    """Reads the spans one by one, so that only one is in memory as a message.

    Raises `InvalidEvent` where the bytes are not trace data, or there are more than `most` spans.
    """
    try:
        return read_spans(_readers(body, outline(body, most), table), most)
    except TooManyParts:
        raise too_many(most) from None
    except (DecodeError, NotProtobuf) as error:
        detail = (
            f"the bytes are not OTLP trace data in protobuf ({shorten(str(error))}): send ExportTraceServiceRequest"
        )
        raise InvalidEvent(InvalidReason.NOT_OTLP, detail) from None


def _readers(body: bytes, groups: Sequence[ResourceOutline], table: SpanTable) -> Iterator[SpanReader]:
    names, resource_names = table.span_names(), table.resource_names()
    attributes = _AttributeReader()
    for group in groups:
        pieces = b"".join(_piece(body, each) for each in group.resource)
        resource = attributes.read(Resource.FromString(pieces).attributes, resource_names)
        for each in group.spans:
            yield partial(_read, body, each, names, resource, attributes)


def _piece(body: bytes, part: Slice) -> bytes:
    """The bytes of a resource or span. An overlong resource counts as empty: its spans are read without it."""
    return body[part.start : part.end] if part.end - part.start <= MAX_SPAN_BYTES else b""


def _read(body: bytes, part: Slice, names: frozenset[str], resource: Attributes, attributes: _AttributeReader) -> Span:
    size = part.end - part.start
    if size > MAX_SPAN_BYTES:
        raise InvalidSpan(f"a span has {size} bytes: at most {MAX_SPAN_BYTES} are read")
    span = trace_pb2.Span.FromString(body[part.start : part.end])
    identity = SpanIdentity(span.trace_id, span.span_id, span.parent_span_id, span.flags)
    events = ((each.name, attributes.read(each.attributes, names | EVENT_NAMES)) for each in span.events)
    own = with_events(attributes.read(span.attributes, names | {UNREAD}), events)
    own = with_status(own, span.status.code, span.status.message)
    said = Said(span.name, own, unread_names((pair.key for pair in span.attributes), names))
    return span_of(identity, span.start_time_unix_nano, said, resource)


@dataclass(slots=True)
class _AttributeReader:
    """Reads the attributes of one export up to a bound, because an empty one takes two bytes to send."""

    left: int = MAX_VALUES

    def read(self, pairs: Sequence[KeyValue], names: frozenset[str]) -> Attributes:
        self._count(pairs)
        return {pair.key: self._value(pair.value, 0) for pair in pairs if is_read(pair.key, names)}

    def _count(self, values: Sequence[object]) -> None:
        self.left -= len(values)
        if self.left < 0:
            raise TooManyParts

    def _value(self, value: AnyValue, depth: int) -> JsonValue:
        kind = value.WhichOneof("value")
        if kind is None or depth > MAX_DEPTH:
            return None
        if kind == "array_value":
            self._count(value.array_value.values)
            return [self._value(each, depth + 1) for each in value.array_value.values]
        if kind == "kvlist_value":
            self._count(value.kvlist_value.values)
            return {each.key: self._value(each.value, depth + 1) for each in value.kvlist_value.values}
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
        name=span.name,
        attributes=_pairs({**span.attributes, UNREAD: list(span.unread)} if span.unread else span.attributes),
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
