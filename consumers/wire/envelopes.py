"""Reads the envelope of a record, for Kafka and HTTP alike: CloudEvents 1.0, binary or structured, or none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NoReturn, TypeAlias, cast
from urllib.parse import unquote_to_bytes

from consumers.wire.events import (
    MAX_EVENT_BYTES,
    InvalidEvent,
    InvalidReason,
    parse_json,
    refuse_large,
    refuse_many_values,
)
from consumers.wire.texts import json_type, shorten

Headers: TypeAlias = Sequence[tuple[str, bytes | None]]

SPECVERSION = "1.0"
"""The supported version of CloudEvents."""
STRUCTURED = "application/cloudevents+json"
BATCH = "application/cloudevents-batch+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A record without its envelope, not yet validated as an event."""

    payload: object
    """The input of `decode_event`: the record's bytes, or the data with the id and source of the envelope."""
    id: str | None = None
    """The id of the CloudEvent; `None` for a plain record."""
    source: str | None = None
    time: datetime | None = None
    """The time of the CloudEvent; it becomes `occurred_at` where the data has none."""
    traceparent: str | None = None
    """W3C trace context, from the CloudEvents extension, else from the record's header."""
    sampledrate: int | None = None
    """The producer sends one event of this many; `None` if it does not sample."""


def read_envelope(value: object, headers: Headers, *, max_bytes: int = MAX_EVENT_BYTES) -> Envelope:
    """Reads the envelope of a record; raises `InvalidEvent` for invalid CloudEvents.

    `value` is the record's bytes (`None` is a tombstone), or an object parsed from them. Only the headers `ce_…`
    (Kafka), `ce-…` (HTTP), `content-type` and `traceparent` are read, so undecodable bytes in other headers do no harm.
    Plain JSON is left unparsed.

    >>> plain = read_envelope(b'{"question": "q", "sql": "s"}', [])
    >>> plain.payload, plain.id
    (b'{"question": "q", "sql": "s"}', None)
    """
    if value is None:
        detail = "the record has no value (a tombstone): an event is a JSON object; forgetting is `sqlassay forget`"
        raise InvalidEvent(InvalidReason.NO_VALUE, detail)
    if isinstance(value, bytes):
        refuse_large(len(value), max_bytes)
        refuse_many_values(value)
    read = _read_headers(headers)
    envelope = _unwrap(value, read)
    own = read.others.get("traceparent")
    return envelope if envelope.traceparent or own is None else replace(envelope, traceparent=_trace(own))


def read_structured(document: object) -> Envelope:
    """Reads one CloudEvent from its JSON object, of structured mode or of a batch.

    >>> event = {"specversion": "1.0", "id": "7", "source": "/shop", "type": "answer", "data": {"sql": "s"}}
    >>> read_structured(event).payload
    {'sql': 's', 'event_id': '7', 'source': '/shop'}
    """
    if not isinstance(document, Mapping):
        detail = f"a CloudEvent is a JSON object, and this is {json_type(document)}: send one object per event"
        raise InvalidEvent(InvalidReason.NOT_AN_OBJECT, detail)
    attributes = cast("Mapping[str, object]", document)
    if attributes.get("data_base64") is not None:
        _refuse("the event holds data_base64: send the JSON object itself as data")
    return _cloud_event(attributes, attributes.get("data"), "")


@dataclass(frozen=True, slots=True)
class _Headers:
    """The headers that are read."""

    attributes: dict[str, object]
    """CloudEvents attributes of binary mode, without their prefix."""
    others: dict[str, str]
    prefix: str


_PREFIXES = ("ce_", "ce-")
_OTHERS = frozenset({"content-type", "traceparent"})


def _read_headers(headers: Headers) -> _Headers:
    named = [(_name(name), raw) for name, raw in headers]
    read = _Headers({}, {}, next((name[:3] for name, _ in named if name[:3] in _PREFIXES), ""))
    for name, raw in named:
        if name in _OTHERS:
            read.others[name] = _text(name, raw or b"")
        elif name[:3] in _PREFIXES and raw is not None:
            text = _text(name, unquote_to_bytes(raw) if name[2] == "-" else raw)
            if read.attributes.setdefault(name[3:], text) != text:
                _refuse(f"header {shorten(name)} is sent twice with different values: send it once")
    return read


def _name(name: str) -> str:
    # undecodable bytes of a name arrive as lone surrogates
    if not name.isascii() and any("\ud800" <= letter <= "\udfff" for letter in name):
        detail = "the name of a header is not UTF-8: encode header names as UTF-8"
        raise InvalidEvent(InvalidReason.INVALID_ENCODING, detail)
    return name.lower()


def _text(name: str, raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        detail = f"header {shorten(name)}: byte {error.start} is not UTF-8; encode header values as UTF-8"
        raise InvalidEvent(InvalidReason.INVALID_ENCODING, detail) from None


def _unwrap(value: object, headers: _Headers) -> Envelope:
    kind = media_type(headers.others.get("content-type", ""))
    if kind == STRUCTURED:
        return read_structured(_parsed(value))
    if kind.startswith("application/cloudevents"):
        _refuse(f"content type {shorten(kind)} is not read here: send {STRUCTURED}, one event per record")
    if headers.attributes:
        attributes = {"datacontenttype": kind or None, **headers.attributes}
        # checked before parsing: bytes of another content type must not be parsed as JSON
        _check(attributes, headers.prefix)
        return _cloud_event(attributes, _parsed(value), headers.prefix)
    document = _parsed(value) if not isinstance(value, bytes) or b'"specversion"' in value else None
    return read_structured(document) if looks_structured(document) else Envelope(payload=value)


def _parsed(value: object) -> object:
    return parse_json(value) if isinstance(value, bytes) else value


def media_type(header: str) -> str:
    """The content type without its parameters.

    >>> media_type("Application/JSON; charset=utf-8")
    'application/json'
    """
    return header.partition(";")[0].strip().lower()


def looks_structured(document: object) -> bool:
    """Whether a parsed object is a CloudEvent whose producer forgot the content type."""
    return isinstance(document, Mapping) and {"specversion", "data"} <= document.keys() and "question" not in document


def _cloud_event(attributes: Mapping[str, object], data: object, prefix: str) -> Envelope:
    _check(attributes, prefix)
    if not isinstance(data, Mapping):
        detail = f"the event's data is {json_type(data)}: send one JSON object with question and sql"
        raise InvalidEvent(InvalidReason.NOT_AN_OBJECT, detail)
    identity, source = str(attributes["id"]), str(attributes["source"])
    time = _time(attributes.get("time"), prefix)
    fields: dict[str, object] = {key: each for key, each in cast("Mapping[str, object]", data).items() if key != "id"}
    fields |= {"event_id": identity, "source": source}
    if time is not None and fields.get("occurred_at") is None:
        fields["occurred_at"] = time
    return Envelope(
        payload=fields,
        id=identity,
        source=source,
        time=time,
        traceparent=_trace(attributes.get("traceparent")),
        sampledrate=_rate(attributes.get("sampledrate"), prefix),
    )


def _check(attributes: Mapping[str, object], prefix: str) -> None:
    version = attributes.get("specversion")
    if version != SPECVERSION:
        _refuse(f"attribute {prefix}specversion is {_shown(version)}: only CloudEvents {SPECVERSION} is read")
    for name in ("id", "source", "type"):
        value = attributes.get(name)
        if not isinstance(value, str) or not value.strip():
            _refuse(f"attribute {prefix}{name} is {_shown(value)}: CloudEvents requires a text")
    content = attributes.get("datacontenttype") or "application/json"
    kind = media_type(content) if isinstance(content, str) else ""
    if kind not in {"application/json", "text/json"} and not kind.endswith("+json"):
        _refuse(f"datacontenttype is {_shown(content)}: send the data as application/json")


_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,12})?(?:Z|[+-]\d\d:\d\d)", re.ASCII)


def _time(value: object, prefix: str) -> datetime | None:
    if value is None or value == "":
        return None
    text = value.upper() if isinstance(value, str) else ""
    try:
        return datetime.fromisoformat(text if _RFC_3339.fullmatch(text) else "")
    except ValueError:
        _refuse(f"attribute {prefix}time is {_shown(value)}: send RFC 3339, such as 2026-11-02T09:30:00Z")


_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def _trace(value: object) -> str | None:
    # W3C Trace Context: an invalid header is ignored
    return value if isinstance(value, str) and _TRACEPARENT.fullmatch(value) else None


_RATE = re.compile(r"[0-9]{1,9}", re.ASCII)


def _rate(value: object, prefix: str) -> int | None:
    if value is None:
        return None
    text = str(value) if isinstance(value, int | str) and not isinstance(value, bool) else ""
    if not _RATE.fullmatch(text) or int(text) == 0:
        _refuse(f"attribute {prefix}sampledrate is {_shown(value)}: send a whole number of at least 1")
    return int(text)


def _shown(value: object) -> str:
    # no repr of a container: a deep one would overflow the stack
    if value is None:
        return "absent"
    return shorten(repr(value)) if isinstance(value, str) else json_type(value)


def _refuse(detail: str) -> NoReturn:
    raise InvalidEvent(InvalidReason.INVALID_ENVELOPE, detail)
