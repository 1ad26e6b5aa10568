"""Spans on their way to the join, which takes one part at a time. Reading a span is most of the work on it, and may be
done elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from consumers.spans.attributes import SpanTable
from consumers.spans.span import Span
from consumers.spans.span_reader import SpanFields, SpanReader

MOST_OF_A_PART = 25
"""Most spans of a part: less than a millisecond."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSpan:
    """A span of which the fields are read. It holds what the join needs, as `Span` has it."""

    trace_id: str
    span_id: str
    parent_id: str | None
    parent_is_remote: bool
    start_nanos: int
    unread: tuple[str, ...]
    fields: SpanFields


class SpanPart(Protocol):
    """Spans that the join takes at once."""

    @property
    def more(self) -> bool:
        """Whether more spans of its trace follow: only a long trace is cut."""
        ...

    def unpack(self) -> Sequence[Span | ReadSpan]:
        """The spans, at most `MOST_OF_A_PART`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainPart:
    """Spans as they are."""

    spans: Sequence[Span]
    more: bool = False

    def unpack(self) -> Sequence[Span]:
        """The spans."""
        return self.spans


def parts_of(spans: Sequence[Span]) -> Iterator[PlainPart]:
    """The spans in parts, with all spans of a trace together where they fit."""
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, []).append(span)
    part: list[Span] = []
    for own in traces.values():
        if len(own) > MOST_OF_A_PART:
            for start in range(0, len(own), MOST_OF_A_PART):
                cut = own[start : start + MOST_OF_A_PART]
                yield PlainPart(spans=cut, more=start + MOST_OF_A_PART < len(own))
            continue
        if len(part) + len(own) > MOST_OF_A_PART:
            yield PlainPart(spans=part)
            part = []
        part += own
    if part:
        yield PlainPart(spans=part)


def read_parts(spans: Sequence[Span], table: SpanTable) -> Iterator[tuple[list[ReadSpan], bool]]:
    """The same parts with their fields read, each with whether more of its trace follows."""
    reader = SpanReader(table)
    for part in parts_of(spans):
        yield [_read(each, reader) for each in part.spans], part.more


def _read(span: Span, reader: SpanReader) -> ReadSpan:
    return ReadSpan(
        trace_id=span.trace_id,
        span_id=span.span_id,
        parent_id=span.parent_id,
        parent_is_remote=span.parent_is_remote,
        start_nanos=span.start_nanos,
        unread=span.unread,
        fields=reader.read(span),
    )
