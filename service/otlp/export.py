"""What one export of spans holds, whichever encoding it came in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from opentelemetry.proto.trace.v1 import trace_pb2
from pydantic import JsonValue

from consumers.spans import Span, SpanTable
from consumers.spans.table import RESOURCE

_REMOTE = trace_pb2.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK | trace_pb2.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK
MAX_DEPTH = 16
"""Deepest value of an attribute that is read; what lies deeper is null."""
Attributes: TypeAlias = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """The spans of one HTTP request or Kafka record."""

    spans: Sequence[Span]
    """With the attributes that the table reads, and no others."""
    rejected: int = 0
    """Things in a span's place that cannot be one."""
    fault: str = ""
    """Why the first of them cannot."""


def of_tenant(held: Export, tenant: str, table: SpanTable) -> Export:
    """What a sender that may write for one tenant only can give: spans that name another are rejected."""
    own = [each for each in held.spans if _tenants(each, table) <= {tenant}]
    foreign = len(held.spans) - len(own)
    fault = f"a span names another tenant than your token's, {tenant!r}: send only its spans" if foreign else ""
    return Export(spans=own, rejected=held.rejected + foreign, fault=held.fault or fault)


def _tenants(span: Span, table: SpanTable) -> set[object]:
    said = [
        span.resource.get(name.removeprefix(RESOURCE)) if name.startswith(RESOURCE) else span.attributes.get(name)
        for name in table.tenant
    ]
    return {str(each) for each in said if each is not None}


class NoSpan(Exception):  # noqa: N818 named for what was read
    """What stands in a span's place cannot be one."""


Reading: TypeAlias = Callable[[], Span]
"""Reads one span; raises `NoSpan`."""


def export(readings: Iterable[Reading]) -> Export:
    """Reads all spans, apart from those that are none."""
    spans: list[Span] = []
    faults: list[str] = []
    for read in readings:
        try:
            spans.append(read())
        except NoSpan as error:
            faults.append(str(error))
    return Export(spans=spans, rejected=len(faults), fault=faults[0] if faults else "")


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a span is and where it belongs, in bytes as on the wire."""

    trace_id: bytes
    span_id: bytes
    parent_id: bytes
    flags: int


def span_of(identity: Identity, start_nanos: int, attributes: Attributes, resource: Attributes) -> Span:
    """The span; raises `NoSpan` where an id is not of OpenTelemetry's length, or zero."""
    parent = identity.parent_id
    return Span(
        trace_id=_digits(identity.trace_id, 16, "trace id"),
        span_id=_digits(identity.span_id, 8, "span id"),
        parent_id=_digits(parent, 8, "parent span id") if any(parent) else None,
        parent_is_remote=identity.flags & _REMOTE == _REMOTE,
        start_nanos=start_nanos,
        attributes=attributes,
        resource=resource,
    )


def flags_of(span: Span) -> int:
    """What `span_of` reads back."""
    return _REMOTE if span.parent_is_remote else 0


def _digits(raw: bytes, length: int, name: str) -> str:
    if len(raw) != length or not any(raw):
        raise NoSpan(f"a {name} has {len(raw)} bytes: send {length} that are not all zero")
    return raw.hex()
