"""Joins each answer with the question of its trace, in whatever order the spans arrive. Reads no clock."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from consumers.spans.attributes import INHERITED, SpanFields, SpanReader, SpanTable
from consumers.spans.span import Span
from consumers.wire.events import SPAN_SOURCE

MAX_ANCESTORS = 64
"""Most spans above an answer in which its question is looked for."""
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


@dataclass(slots=True)
class _Node:
    parent_id: str | None
    remote: bool
    start_nanos: int
    fields: SpanFields


@dataclass(slots=True)
class _OpenTrace:
    opened_at: float
    size: int = _TRACE_SIZE
    nodes: dict[str, _Node] = field(default_factory=dict[str, _Node])
    open: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Answers whose chain is incomplete, with the chain so far: span ids from the answer upwards."""
    calls: list[str] = field(default_factory=list[str])
    """Tool calls with SQL: answers once the trace closes, if no span below them has SQL."""
    waiting: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """For each missing span, the answers whose chain continues there."""


@dataclass(slots=True)
class _Share:
    """The open traces of one sender, oldest first."""

    traces: OrderedDict[TraceKey, _OpenTrace] = field(default_factory=OrderedDict[TraceKey, _OpenTrace])
    spans: int = 0
    characters: int = 0

    @property
    def oldest_at(self) -> float:
        """When its oldest trace was opened."""
        return next(iter(self.traces.values())).opened_at


class SpanJoin:
    """The open traces. Each answer is given once: when the chain of spans above it is complete and holds a question,
    else when its trace closes."""

    def __init__(self, table: SpanTable, limits: JoinLimits) -> None:
        self._reader = SpanReader(table)
        self._limits = limits
        self._shares: dict[str | None, _Share] = {}
        self.spans = 0
        """Spans held."""
        self.characters = 0
        """Their approximate size."""

    def add(self, spans: Iterable[Span], now: float, *, tenant: str | None = None) -> Sequence[SpanEvent]:
        """Adds spans and returns the events that they complete.

        A span that its open trace already has changes nothing.
        """
        events: list[SpanEvent] = []
        for span in spans:
            share = self._shares.setdefault(tenant, _Share())
            key = TraceKey(tenant, span.trace_id)
            trace = share.traces.get(key)
            if trace is None:
                trace = share.traces[key] = _OpenTrace(now)
                self._hold(share, 0, trace.size)
            if span.span_id not in trace.nodes:
                ready = self._insert(share, trace, span)
                events.extend(_event(key, trace, chain) for chain in ready)
        return events

    def _insert(self, share: _Share, trace: _OpenTrace, span: Span) -> list[list[str]]:
        """Adds the span; returns the chains that it completes."""
        fields = self._reader.read(span)
        trace.nodes[span.span_id] = _Node(span.parent_id, span.parent_is_remote, span.start_nanos, fields)
        size = _NODE_SIZE + fields.size
        trace.size += size
        self._hold(share, 1, size)
        moved = trace.waiting.pop(span.span_id, [])
        if fields.called:
            trace.calls.append(span.span_id)
        elif fields.sql is not None:
            trace.open[span.span_id] = []
            moved.append(span.span_id)
        complete = [answer for answer in moved if _climb(trace, answer)]
        return [trace.open.pop(answer) for answer in complete]

    def close_due(
        self, now: float, *, most: int = sys.maxsize, waiting: Collection[str | None] = frozenset()
    ) -> Joined:
        """Closes at most about `most` traces: the oldest of the largest sender while a limit is exceeded, then those
        whose time is up, of every sender alike but those in `waiting`."""
        events: list[SpanEvent] = []
        closed: list[TraceKey] = []
        while self.is_full and len(closed) < most:
            largest = max(self._shares.values(), key=self._part)
            closed.append(self._close_oldest(largest, events))
        due = list(self._due(now, waiting)) if len(closed) < most else []
        each = max((most - len(closed)) // max(len(due), 1), 1)
        for share in due:
            for _ in range(min(each, len(share.traces))):
                if share.oldest_at + self._limits.seconds > now:
                    break
                closed.append(self._close_oldest(share, events))
        return Joined(events=events, closed=closed)

    def close_all(self) -> Joined:
        """Closes every trace now."""
        events: list[SpanEvent] = []
        keys = [self._close_oldest(share, events) for share in self._held() for _ in range(len(share.traces))]
        return Joined(events=events, closed=keys)

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

    def _close_oldest(self, share: _Share, events: list[SpanEvent]) -> TraceKey:
        key, trace = share.traces.popitem(last=False)
        self._release(share, trace)
        chains = [*trace.open.values(), *_chains_of_calls(trace)]
        only = _only_question(trace) if chains else None
        events.extend(_event(key, trace, chain, only) for chain in chains)
        return key

    def _release(self, share: _Share, trace: _OpenTrace) -> None:
        self._hold(share, -len(trace.nodes), -trace.size)

    def _hold(self, share: _Share, spans: int, characters: int) -> None:
        self.spans, self.characters = self.spans + spans, self.characters + characters
        share.spans, share.characters = share.spans + spans, share.characters + characters


def _climb(trace: _OpenTrace, answer: str) -> bool:
    """Extends the answer's chain through the spans at hand; returns whether it is complete and holds a question."""
    chain = trace.open[answer]
    here = trace.nodes[chain[-1]].parent_id if chain else answer
    while here is not None and len(chain) < MAX_ANCESTORS and here not in chain:
        if chain and trace.nodes[chain[-1]].remote and _has_question_and_agent(trace, chain):
            return True
        if here not in trace.nodes:
            trace.waiting.setdefault(here, []).append(answer)
            return False
        chain.append(here)
        here = trace.nodes[here].parent_id
    return any(_asks(trace.nodes[each].fields) for each in chain)


def _asks(fields: SpanFields) -> bool:
    return fields.question is not None or fields.input is not None


def _chains_of_calls(trace: _OpenTrace) -> list[list[str]]:
    """The chain of each tool call that has no span with SQL below it."""
    if not trace.calls:
        return []
    chains = {each: _chain(trace, each) for each, node in trace.nodes.items() if node.fields.sql is not None}
    above = {each for chain in chains.values() for each in chain[1:]}
    return [chains[each] for each in sorted(trace.calls) if each not in above]


def _chain(trace: _OpenTrace, answer: str) -> list[str]:
    """The spans from an answer upwards, as far as they are at hand."""
    chain: list[str] = []
    here: str | None = answer
    while here in trace.nodes and len(chain) < MAX_ANCESTORS and here not in chain:
        chain.append(here)
        here = trace.nodes[here].parent_id
    return chain


def _has_question_and_agent(trace: _OpenTrace, chain: Sequence[str]) -> bool:
    """Whether the chain has both; a caller in another process, which may never report, is then not waited for."""
    fields = [trace.nodes[each].fields for each in chain]
    return any(each.question is not None for each in fields) and any("agent" in each.inheritable for each in fields)


def _event(key: TraceKey, trace: _OpenTrace, chain: Sequence[str], only: str | None = None) -> SpanEvent:
    """The event of a chain's answer; `only` is its question where the chain holds none."""
    fields = [trace.nodes[each].fields for each in chain]
    asked = next((place for place, each in enumerate(fields) if each.question is not None), None)
    if asked is None:
        asked = next((place for place, each in enumerate(fields) if each.input is not None), len(fields))
    question = fields[asked].question or fields[asked].input if asked < len(fields) else only
    payload: dict[str, object] = {
        **_inherited(fields, asked),
        "event_id": f"{key.trace_id}-{chain[0]}",
        "source": SPAN_SOURCE,
        "question": question or "",
        "sql": fields[0].sql,
        "dialect": fields[0].dialect,
        "occurred_at": _moment(trace.nodes[chain[0]].start_nanos),
        "attributes": _attributes(fields) | {"trace_id": key.trace_id, "span_id": chain[0]},
    }
    if asked < len(fields) and fields[asked].history:
        payload["history"] = fields[asked].history
    if fields[0].result is not None:
        payload["result"] = fields[0].result
    return SpanEvent(trace=key, payload=payload)


def _inherited(fields: Sequence[SpanFields], asked: int) -> dict[str, object]:
    """For each field, the value of the nearest span; an enriched question above the span of the question is ignored."""
    found: dict[str, object] = dict(fields[0].fallback)
    for place in reversed(range(len(fields))):
        names = INHERITED if place <= asked else INHERITED - {"enriched_question"}
        found |= {name: text for name, text in fields[place].inheritable.items() if name in names}
    return found


def _attributes(fields: Sequence[SpanFields]) -> dict[str, object]:
    return {name: value for each in reversed(fields) for name, value in each.attributes.items()}


def _only_question(trace: _OpenTrace) -> str | None:
    """The question of a trace with exactly one, for an answer that is not below the question's span."""
    nodes = trace.nodes.values()
    asked = {node.fields.question for node in nodes if node.fields.question is not None}
    asked = asked or {node.fields.input for node in nodes if node.fields.input is not None}
    return next(iter(asked)) if len(asked) == 1 else None


def _moment(nanos: int) -> str | None:
    return (_EPOCH + timedelta(microseconds=nanos // 1000)).isoformat() if 0 < nanos < 1 << 64 else None


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
