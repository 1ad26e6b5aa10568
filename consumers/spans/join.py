"""Joins the queries of a trace with its questions, in whatever order its spans arrive. Reads no clock."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from consumers.spans.answers import Chosen
from consumers.spans.attributes import SpanTable
from consumers.spans.open_trace import OpenTrace
from consumers.spans.span import Span
from consumers.spans.span_event import payload_of
from consumers.spans.span_reader import SpanReader
from consumers.spans.unanswered import NoAnswer

_NODE_SIZE = 400
"""Approximate bytes of a span beside its texts."""


class TraceKey(NamedTuple):
    """A trace of one sender: no tenant's spans join another's."""

    tenant: str | None
    """The only tenant its sender may write for; `None` is any."""
    trace_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinLimits:
    """How much the join may hold. Over a limit, the oldest traces are closed early."""

    seconds: float = 60.0
    """How long a trace stays open after its first span arrives."""
    spans: int = 100_000
    characters: int = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """An answer joined with its question, ready to be decoded as an event."""

    trace: TraceKey
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """The result of one step of the join."""

    events: Sequence[SpanEvent] = ()
    closed: Sequence[TraceKey] = ()
    """Traces that give no more events; a span that arrives later opens its trace again."""
    unanswered: Sequence[NoAnswer] = ()
    """Those of them that gave no event."""


@dataclass(slots=True)
class _Step:
    """What a step has given so far."""

    events: list[SpanEvent] = field(default_factory=list[SpanEvent])
    closed: list[TraceKey] = field(default_factory=list[TraceKey])
    unanswered: list[NoAnswer] = field(default_factory=list[NoAnswer])

    def give(self, key: TraceKey, chosen: Iterable[Chosen]) -> None:
        self.events.extend(SpanEvent(trace=key, payload=payload_of(key.trace_id, each)) for each in chosen)

    def joined(self) -> Joined:
        return Joined(events=self.events, closed=self.closed, unanswered=self.unanswered)


class SpanJoin:
    """The open traces. Each question is given one answer: when the chain of spans above every query of the trace is
    complete and holds a question, else when the trace closes."""

    def __init__(self, table: SpanTable, limits: JoinLimits) -> None:
        self._reader = SpanReader(table)
        self._limits = limits
        self._traces: OrderedDict[TraceKey, OpenTrace] = OrderedDict()
        self.spans = 0
        """Spans held."""
        self.characters = 0
        """Their approximate size."""

    def add(self, spans: Iterable[Span], now: float, *, tenant: str | None = None, more: bool = False) -> Joined:
        """Adds spans; a span that its open trace already has changes nothing.

        With `more` the rest of the same export follows, and answers wait for `settle`.
        """
        touched: dict[TraceKey, None] = {}
        for span in spans:
            key = TraceKey(tenant, span.trace_id)
            trace = self._traces.get(key)
            if trace is None:
                trace = self._traces[key] = OpenTrace(opened_at=now)
            touched[key] = None
            if span.span_id not in trace.nodes:
                self._insert(trace, span)
        step = _Step()
        if not more:
            self._settle(touched, step)
        self._close_due(now, step)
        return step.joined()

    def settle(self, keys: Iterable[TraceKey]) -> Joined:
        """Gives the answers of open traces whose export was added in parts."""
        step = _Step()
        self._settle(keys, step)
        return step.joined()

    def _settle(self, keys: Iterable[TraceKey], step: _Step) -> None:
        for key in keys:
            if (trace := self._traces.get(key)) is not None:
                step.give(key, trace.settle())

    def _insert(self, trace: OpenTrace, span: Span) -> None:
        fields = self._reader.read(span)
        size = _NODE_SIZE + fields.size
        trace.size += size
        self.spans, self.characters = self.spans + 1, self.characters + size
        trace.insert(span, fields)

    def close_due(self, now: float) -> Joined:
        """Closes the traces whose time is up, and the oldest ones while a limit is exceeded."""
        step = _Step()
        self._close_due(now, step)
        return step.joined()

    def _close_due(self, now: float, step: _Step) -> None:
        while self._traces and (self._is_full() or self._oldest_at() + self._limits.seconds <= now):
            self._close(*self._traces.popitem(last=False), step)

    def close_all(self) -> Joined:
        """Closes every trace now."""
        step = _Step()
        while self._traces:
            self._close(*self._traces.popitem(last=False), step)
        return step.joined()

    def drop(self, keys: Iterable[TraceKey]) -> None:
        """Drops traces without giving events: another worker receives their spans again."""
        for key in keys:
            trace = self._traces.pop(key, None)
            if trace is not None:
                self._release(trace)

    @property
    def due_at(self) -> float | None:
        """When the next trace closes; `None` without open traces."""
        return self._oldest_at() + self._limits.seconds if self._traces else None

    def _oldest_at(self) -> float:
        return next(iter(self._traces.values())).opened_at

    def _is_full(self) -> bool:
        return self.spans > self._limits.spans or self.characters > self._limits.characters

    def _close(self, key: TraceKey, trace: OpenTrace, step: _Step) -> None:
        self._release(trace)
        step.closed.append(key)
        step.give(key, trace.close())
        if not trace.gave:
            step.unanswered.append(trace.why_unanswered(key.trace_id))

    def _release(self, trace: OpenTrace) -> None:
        self.spans -= len(trace.nodes)
        self.characters -= trace.size
