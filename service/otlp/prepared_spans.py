"""Reads an export up to what its intake does with it: runs where the body is read, away from the event loop."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, NamedTuple, TypeAlias, TypeVar, cast

import orjson
from pydantic import JsonValue

from consumers.spans import Span, SpanTable
from consumers.spans.explanation import explain
from consumers.spans.span_feedback import span_feedback
from consumers.spans.span_parts import ReadSpan, read_parts
from consumers.wire.events import InvalidEvent, InvalidReason
from consumers.wire.json_values import count_values
from service.otlp.export import Export, without_foreign_spans
from service.otlp.protobuf import write_protobuf
from service.otlp.reading import read_otlp

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPart:
    """Spans whose fields are read, as bytes: unpacking ten thousand spans at once would stop the event loop."""

    content: bytes
    more: bool

    def unpack(self) -> Sequence[ReadSpan]:
        """The spans."""
        return cast("list[ReadSpan]", pickle.loads(self.content))  # noqa: S301 our own process wrote it


class SpanRecord(NamedTuple):
    """A record of the spans topic."""

    trace_id: str
    value: bytes
    spans: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedSpans:
    """An export that is ready for its intake."""

    count: int
    """Number of spans that are read."""
    rejected: int
    fault: str
    said: Sequence[dict[str, JsonValue]] = ()
    """What people say in them of answers."""
    parts: Sequence[PackedPart] = ()
    """The spans for a join."""
    records: Sequence[SpanRecord] = field(default=(), repr=False)
    """The spans for Kafka."""

    @property
    def size(self) -> int:
        """Bytes that it holds, about."""
        return sum(len(each.content) for each in self.parts) + sum(len(each.value) for each in self.records)


Prepare: TypeAlias = Callable[[Export], PreparedSpans]
"""What an intake wants of an export. It can be sent to another process."""


def preparing_for_join(table: SpanTable) -> Prepare:
    """For a join in this process."""
    return partial(_for_join, table)


def preparing_for_kafka(most_bytes: int) -> Prepare:
    """For the spans topic, in records of at most `most_bytes`, except that a single span may be larger."""
    return partial(_for_kafka, most_bytes)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportReader(Generic[Result]):
    """Reads the body of a request or the value of a record. It can be sent to another process."""

    table: SpanTable
    then: Callable[[Export], Result]
    """Makes the result."""
    tenant: str | None = None
    """The only tenant whose spans the sender may write."""
    as_json: bool | None = None
    """`None` looks at the first byte."""
    most_values: int | None = None

    def __call__(self, body: bytes) -> Result:
        """Raises `InvalidEvent` for other bytes, and for more JSON values than `most_values`."""
        if self.as_json and self.most_values is not None and count_values(body, self.most_values) > self.most_values:
            detail = f"the body has more than {self.most_values} JSON values: send less at once"
            raise InvalidEvent(InvalidReason.EVENT_TOO_LARGE, detail)
        export = read_otlp(body, self.table, as_json=self.as_json)
        return self.then(export if self.tenant is None else without_foreign_spans(export, self.tenant, self.table))


def explained_export(table: SpanTable, export: Export) -> bytes:
    """What the export gives, as JSON."""
    return orjson.dumps({**explain(export.spans, table), "rejected": export.rejected, "fault": export.fault})


def _for_join(table: SpanTable, export: Export) -> PreparedSpans:
    return PreparedSpans(
        count=len(export.spans),
        rejected=export.rejected,
        fault=export.fault,
        said=span_feedback(export.spans, table),
        parts=[PackedPart(content=pickle.dumps(spans), more=more) for spans, more in read_parts(export.spans, table)],
    )


def _for_kafka(most_bytes: int, export: Export) -> PreparedSpans:
    traces: dict[str, list[Span]] = {}
    for span in export.spans:
        traces.setdefault(span.trace_id, []).append(span)
    records = [SpanRecord(trace, *each) for trace, own in traces.items() for each in _records(own, most_bytes)]
    return PreparedSpans(count=len(export.spans), rejected=export.rejected, fault=export.fault, records=records)


def _records(spans: Sequence[Span], most_bytes: int) -> Iterator[tuple[bytes, int]]:
    """The spans in records of at most `most_bytes`, except that a single span may be larger."""
    pending = [spans]
    while pending:
        part = pending.pop()
        value = write_protobuf(part)
        if len(value) > most_bytes and len(part) > 1:
            half = len(part) // 2
            pending += [part[half:], part[:half]]
        else:
            yield value, len(part)
