"""Reads OTLP trace data in JSON, where names are in lowerCamelCase and ids in hexadecimal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias, cast

from pydantic import JsonValue

from consumers.spans import Span, SpanTable
from consumers.spans.attributes import is_read
from consumers.wire.events import InvalidEvent, InvalidReason, parse_json
from consumers.wire.texts import json_type, shorten
from service.otlp.export import (
    EVENT_NAMES,
    MAX_DEPTH,
    UNREAD,
    Attributes,
    Export,
    InvalidSpan,
    Said,
    SpanIdentity,
    SpanReader,
    read_spans,
    span_of,
    unread_names,
    with_events,
    with_status,
)

Object: TypeAlias = Mapping[str, object]


def read_json(body: bytes, table: SpanTable, most: int) -> Export:
    """Reads the spans; raises `InvalidEvent` where the bytes are not trace data, or there are more than `most`."""
    document = parse_json(body)
    # an empty object is an empty export; any other object without spans was sent here by mistake
    if not isinstance(document, Mapping) or (document and "resourceSpans" not in document):
        what = "an object without resourceSpans" if isinstance(document, Mapping) else json_type(document)
        detail = f"the JSON is {what} and not OTLP trace data: send ExportTraceServiceRequest"
        raise InvalidEvent(InvalidReason.NOT_OTLP, detail)
    groups = cast("Object", document).get("resourceSpans")
    if groups is not None and not isinstance(groups, list):
        raise InvalidEvent(InvalidReason.NOT_OTLP, f"resourceSpans is {json_type(groups)}: send a list")
    return read_spans(_readers(cast("Object", document), table), most)


def _readers(document: Object, table: SpanTable) -> Iterator[SpanReader]:
    names, resource_names = table.span_names(), table.resource_names()
    for group in _list(document, "resourceSpans"):
        for scope in _list(group, "scopeSpans"):
            for each in _list(scope, "spans"):
                yield partial(_read, _object(each), _object(_object(group).get("resource")), names, resource_names)


def _object(value: object) -> Object:
    return cast("Object", value) if isinstance(value, Mapping) else {}


def _list(holder: object, name: str) -> list[object]:
    found = _object(holder).get(name)
    return cast("list[object]", found) if isinstance(found, list) else []


def _read(span: Object, resource: Object, names: frozenset[str], resource_names: frozenset[str]) -> Span:
    try:
        identity = SpanIdentity(
            _bytes(span, "traceId"), _bytes(span, "spanId"), _bytes(span, "parentSpanId"), _whole(span.get("flags"))
        )
        attributes, of_resource = _attributes(span, names | {UNREAD}), _attributes(resource, resource_names)
        events = map(_object, _list(span, "events"))
        read = [(str(each.get("name")), _attributes(each, names | EVENT_NAMES)) for each in events]
        status = _object(span.get("status"))
        own = with_status(with_events(attributes, read), _status(status), _text(status.get("message")) or "")
        said = Said(_text(span.get("name")) or "", own, unread_names(_keys(span), names))
    except UnicodeEncodeError as error:
        raise InvalidSpan(f"a text holds a lone surrogate at character {error.start}: remove it") from None
    return span_of(identity, _whole(span.get("startTimeUnixNano")), said, of_resource)


def _bytes(span: Object, name: str) -> bytes:
    value = span.get(name)
    try:
        return bytes.fromhex(value if isinstance(value, str) else "")
    except ValueError:
        raise InvalidSpan(f"{name} {shorten(repr(value))} is not hexadecimal") from None


def _whole(value: object) -> int:
    """A number of 64 bits, written as a number or as text; 0 for any other value."""
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= 20 else 0
    return number if number < 1 << 64 else 0


def _attributes(holder: Object, names: frozenset[str]) -> Attributes:
    pairs = [_object(pair) for pair in _list(holder, "attributes")]
    return {str(pair["key"]): _value(pair.get("value"), 0) for pair in pairs if _is_one_of(pair.get("key"), names)}


def _keys(holder: Object) -> Iterator[str]:
    for pair in _list(holder, "attributes"):
        if isinstance(key := _object(pair).get("key"), str):
            yield key


def _status(status: Object) -> int:
    """The code of a status, which is written as a number or by its name."""
    return 2 if status.get("code") == "STATUS_CODE_ERROR" else _whole(status.get("code"))


def _is_one_of(key: object, names: frozenset[str]) -> bool:
    return isinstance(key, str) and is_read(key, names)


def _value(value: object, depth: int) -> JsonValue:
    wrapped = _object(value)
    kind = next((kind for kind in wrapped if kind in _KINDS), None)
    return _KINDS[kind](wrapped[kind], depth + 1) if kind is not None and depth <= MAX_DEPTH else None


def _text(value: object, _: int = 0) -> str | None:
    if not isinstance(value, str):
        return None
    # raises for a lone surrogate, which neither protobuf nor a database can hold
    value.encode()
    return value


def _number(value: object, _: int) -> JsonValue:
    if isinstance(value, str):
        return int(value) if value.removeprefix("-").isdecimal() and len(value) <= 20 else _text(value)
    return value if isinstance(value, int | float) else None


def _boolean(value: object, _: int) -> JsonValue:
    return value if isinstance(value, bool) else None


def _array(value: object, depth: int) -> JsonValue:
    return [_value(each, depth) for each in _list(value, "values")]


def _pairs(value: object, depth: int) -> JsonValue:
    pairs = [_object(pair) for pair in _list(value, "values")]
    return {key: _value(pair.get("value"), depth) for pair in pairs if (key := _text(pair.get("key"))) is not None}


_KINDS: Mapping[str, Callable[[object, int], JsonValue]] = {
    "stringValue": _text,
    "boolValue": _boolean,
    "intValue": _number,
    "doubleValue": _number,
    "arrayValue": _array,
    "kvlistValue": _pairs,
    "bytesValue": _text,
}
