"""Joins each answer with the question of its trace, in whatever order the spans arrive. Reads no clock."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from consumers.spans.answers import Chosen
from consumers.spans.attributes import SpanTable
from consumers.spans.open_trace import OpenTrace
from consumers.spans.span import Span
from consumers.spans.span_event import payload_of
from consumers.spans.span_parts import ReadSpan
from consumers.spans.span_reader import SpanReader
from consumers.spans.unanswered import NoAnswer

_NODE_SIZE, _TRACE_SIZE = 1000, 2500
"""Approximate bytes of a span beside its texts, and of a trace beside its spans."""


class TraceKey(NamedTuple):
    """A trace of one sender: no tenant's spans join another's."""

    tenant: str | None
    """The only tenant its sender may write for; `None` is any."""
    trace_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinLimits:
    """How much the join may hold. Over a limit, the oldest traces of the sender that holds most are closed early."""

    seconds: float = 60.0
    """How long a trace stays open after its first span arrives."""
    spans: int = 100_000
    characters: int = 192 * 1024 * 1024
    """Approximate bytes of the traces, their spans and texts."""


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

    def joined(self) -> Joined:
        return Joined(events=self.events, closed=self.closed, unanswered=self.unanswered)


@dataclass(slots=True)
class _Share:
    """The open traces of one sender, oldest first."""

    traces: OrderedDict[TraceKey, OpenTrace] = field(default_factory=OrderedDict[TraceKey, OpenTrace])
    spans: int = 0
    characters: int = 0

    @property
    def oldest_at(self) -> float:
        """When its oldest trace was opened."""
        return next(iter(self.traces.values())).opened_at


class SpanJoin:
    """The open traces. Each question is given one answer: when the chain of spans above every query of the trace is
    complete and holds a question, else when the trace closes."""

    def __init__(self, table: SpanTable, limits: JoinLimits) -> None:
        self._reader = SpanReader(table)
        self._limits = limits
        self._shares: dict[str | None, _Share] = {}
        self.spans = 0
        """Spans held."""
        self.characters = 0
        """Their approximate size."""

    def add(
        self, spans: Iterable[Span | ReadSpan], now: float, *, tenant: str | None = None, more: bool = False
    ) -> Sequence[SpanEvent]:
        """Adds spans and returns the events that they complete; none while `more` spans of the same traces follow.

        A span that its open trace already has changes nothing.
        """
        touched: dict[TraceKey, OpenTrace] = {}
        for span in spans:
            share = self._shares.setdefault(tenant, _Share())
            key = TraceKey(tenant, span.trace_id)
            trace = share.traces.get(key)
            if trace is None:
                trace = share.traces[key] = OpenTrace(opened_at=now, size=_TRACE_SIZE)
                self._hold(share, 0, trace.size)
            touched[key] = trace
            if span.span_id not in trace.nodes:
                self._insert(share, trace, span)
        return [] if more else [each for key, trace in touched.items() for each in _events(key, trace.settle())]

    def _insert(self, share: _Share, trace: OpenTrace, span: Span | ReadSpan) -> None:
        fields = span.fields if isinstance(span, ReadSpan) else self._reader.read(span)
        size = _NODE_SIZE + fields.size
        trace.size += size
        self._hold(share, 1, size)
        trace.insert(span, fields)

    def close_due(
        self, now: float, *, most: int = sys.maxsize, waiting: Collection[str | None] = frozenset()
    ) -> Joined:
        """Closes at most about `most` traces: the oldest of the largest sender while a limit is exceeded, then those
        whose time is up, of every sender alike but those in `waiting`."""
        step = _Step()
        while self.is_full and len(step.closed) < most:
            self._close_oldest(max(self._shares.values(), key=self._part), step)
        due = list(self._due(now, waiting)) if len(step.closed) < most else []
        each = max((most - len(step.closed)) // max(len(due), 1), 1)
        for share in due:
            for _ in range(min(each, len(share.traces))):
                if share.oldest_at + self._limits.seconds > now:
                    break
                self._close_oldest(share, step)
        return step.joined()

    def close_all(self) -> Joined:
        """Closes every trace now."""
        step = _Step()
        for share in self._held():
            while share.traces:
                self._close_oldest(share, step)
        return step.joined()

    def drop(self, keys: Iterable[TraceKey]) -> None:
        """Drops traces without giving events: another worker receives their spans again."""
        for key in keys:
            share = self._shares.get(key.tenant, _Share())
            if key in share.traces:
                self._release(share, share.traces.pop(key))

    def due_at(self, waiting: Collection[str | None] = frozenset()) -> float | None:
        """When the next trace closes, of a sender that is not in `waiting`; `None` if there is none."""
        found = [share.oldest_at for tenant, share in self._shares.items() if share.traces and tenant not in waiting]
        return min(found) + self._limits.seconds if found else None

    @property
    def is_full(self) -> bool:
        """Whether a limit is exceeded."""
        return self.spans > self._limits.spans or self.characters > self._limits.characters

    def _held(self) -> list[_Share]:
        """The senders' shares; those that hold nothing are forgotten."""
        self._shares = {tenant: share for tenant, share in self._shares.items() if share.traces}
        return list(self._shares.values())

    def _due(self, now: float, waiting: Collection[str | None]) -> Iterator[_Share]:
        self._held()
        for tenant, share in self._shares.items():
            if tenant not in waiting and share.oldest_at + self._limits.seconds <= now:
                yield share

    def _part(self, share: _Share) -> float:
        """How much of the limits a sender uses."""
        return max(share.spans / self._limits.spans, share.characters / self._limits.characters)

    def _close_oldest(self, share: _Share, step: _Step) -> None:
        key, trace = share.traces.popitem(last=False)
        self._release(share, trace)
        step.closed.append(key)
        step.events.extend(_events(key, trace.close()))
        if not trace.gave:
            step.unanswered.append(trace.why_unanswered(key.trace_id))

    def _release(self, share: _Share, trace: OpenTrace) -> None:
        self._hold(share, -len(trace.nodes), -trace.size)

    def _hold(self, share: _Share, spans: int, characters: int) -> None:
        self.spans, self.characters = self.spans + spans, self.characters + characters
        share.spans, share.characters = share.spans + spans, share.characters + characters


def _events(key: TraceKey, chosen: Iterable[Chosen]) -> Iterator[SpanEvent]:
    return (SpanEvent(trace=key, payload=payload_of(key.trace_id, each)) for each in chosen)
