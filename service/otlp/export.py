"""The spans of one export, in either encoding."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from opentelemetry.proto.trace.v1 import trace_pb2
from pydantic import JsonValue

from consumers.spans import Span, SpanTable
from consumers.spans.attributes import CHOICE, EVALUATION, RESOURCE, TOOL_MESSAGE, USER_MESSAGE, is_read, without_places
from consumers.spans.presets import STATUS, STATUS_TEXT
from consumers.wire.events import InvalidEvent, InvalidReason

_REMOTE = trace_pb2.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK | trace_pb2.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK
MAX_VALUES = 1_000_000
"""Most attributes of one export, and of its lists of values."""
MAX_SPAN_BYTES = 1024 * 1024
"""Largest span that is read, and largest resource."""
MAX_DEPTH = 16
"""Deepest level of an attribute's value that is read; deeper values are null."""
Attributes: TypeAlias = Mapping[str, JsonValue]
UNREAD = "sqlassay.unread"
"""The attribute as which the names of attributes that are not read are passed on through Kafka."""
MOST_UNREAD = 40
"""Names of attributes that are kept of a span beside those that are read."""
_CONTENT, _MESSAGE = "content", "message"
EVENT_NAMES = frozenset({_CONTENT, _MESSAGE})
"""The attributes of an event that is a message."""
_EXCEPTION = "exception"


def with_events(own: Attributes, events: Iterable[tuple[str, Attributes]]) -> Attributes:
    """The attributes of a span with those of its events, by name: some SDKs write messages as events.

    The span's own count first, then those of the first event; of its messages and exceptions the last. Evaluations
    are a list.
    """
    found = dict(own)
    evaluations: list[JsonValue] = []
    for name, attributes in events:
        if name == EVALUATION:
            evaluations.append({**attributes})
            continue
        if name in {USER_MESSAGE, TOOL_MESSAGE, CHOICE}:
            found[name] = attributes.get(_CONTENT, attributes.get(_MESSAGE))
        if name == _EXCEPTION:
            found |= {key: value for key, value in attributes.items() if key.startswith("exception.")}
        for key in attributes.keys() - found.keys():
            if key.startswith("gen_ai."):
                found[key] = attributes[key]
    return found | {EVALUATION: evaluations} if evaluations else found


def with_status(own: Attributes, code: int, text: str) -> Attributes:
    """The attributes with the status of the span, where it is that of an error."""
    if code != trace_pb2.Status.STATUS_CODE_ERROR:
        return own
    return {**own, STATUS: "ERROR"} | ({STATUS_TEXT: text} if text.strip() else {})


def unread_names(keys: Iterable[str], names: frozenset[str]) -> tuple[str, ...]:
    """The names of attributes that are not read, sorted, at most `MOST_UNREAD`."""
    found = {without_places(key) for key in keys if not is_read(key, names) and key != UNREAD}
    return tuple(sorted(sys.intern(each) for each in found)[:MOST_UNREAD])


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The spans of one HTTP request or Kafka record."""

    spans: Sequence[Span]
    """With only the attributes that the table reads."""
    rejected: int = 0
    """Number of spans that are invalid or of another tenant."""
    fault: str = ""
    """Why the first of them was rejected."""


def without_foreign_spans(export: Export, tenant: str, table: SpanTable) -> Export:
    """The export of a sender that may write for one tenant only: spans that name another tenant are rejected."""
    own = [each for each in export.spans if _tenants(each, table) <= {tenant}]
    foreign = len(export.spans) - len(own)
    fault = f"a span names another tenant than your token's, {tenant!r}: send only its spans" if foreign else ""
    return Export(spans=own, rejected=export.rejected + foreign, fault=export.fault or fault)


def _tenants(span: Span, table: SpanTable) -> set[object]:
    names = [
        span.resource.get(name.removeprefix(RESOURCE)) if name.startswith(RESOURCE) else span.attributes.get(name)
        for name in table.tenant
    ]
    return {str(each) for each in names if each is not None}


class InvalidSpan(Exception):  # noqa: N818 named like InvalidEvent
    """A span of an export is invalid."""


SpanReader: TypeAlias = Callable[[], Span]
"""Reads one span; raises `InvalidSpan`."""


def read_spans(readers: Iterable[SpanReader], most: int) -> Export:
    """Reads all spans and rejects the invalid ones; raises `InvalidEvent` for more than `most`."""
    spans: list[Span] = []
    faults: list[str] = []
    for place, read in enumerate(readers):
        if place == most:
            raise too_many(most)
        try:
            spans.append(read())
        except InvalidSpan as error:
            faults.append(str(error))
    return Export(spans=spans, rejected=len(faults), fault=faults[0] if faults else "")


def too_many(most: int) -> InvalidEvent:
    """The refusal of an export with more spans and messages around them, or more attributes, than are read at once."""
    detail = (
        f"the export has more than {most} spans, scopes and resources, or {MAX_VALUES} attributes: send less at once"
    )
    return InvalidEvent(InvalidReason.EVENT_TOO_LARGE, detail)


@dataclass(frozen=True, slots=True)
class SpanIdentity:
    """The ids and flags of a span as they are sent."""

    trace_id: bytes
    span_id: bytes
    parent_id: bytes
    flags: int


@dataclass(frozen=True, slots=True)
class Said:
    """What a span says beside its place in the trace."""

    name: str
    attributes: Attributes
    unread: tuple[str, ...]


def span_of(identity: SpanIdentity, start_nanos: int, said: Said, resource: Attributes) -> Span:
    """Makes a span; raises `InvalidSpan` where an id is zero or not of OpenTelemetry's length."""
    parent = identity.parent_id
    attributes = dict(said.attributes)
    passed_on = attributes.pop(UNREAD, None)
    unread = tuple(str(each) for each in passed_on[:MOST_UNREAD]) if isinstance(passed_on, list) else said.unread
    return Span(
        trace_id=_digits(identity.trace_id, 16, "trace id"),
        span_id=_digits(identity.span_id, 8, "span id"),
        parent_id=_digits(parent, 8, "parent span id") if any(parent) else None,
        parent_is_remote=identity.flags & _REMOTE == _REMOTE,
        start_nanos=start_nanos,
        name=said.name,
        attributes=attributes,
        unread=unread,
        resource=resource,
    )


def flags_of(span: Span) -> int:
    """The flags that `span_of` reads back."""
    return _REMOTE if span.parent_is_remote else 0


def _digits(raw: bytes, length: int, name: str) -> str:
    if len(raw) != length or not any(raw):
        raise InvalidSpan(f"a {name} has {len(raw)} bytes: send {length} that are not all zero")
    return raw.hex()
