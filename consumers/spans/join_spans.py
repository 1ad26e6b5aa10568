"""Joins spans, submits their events, and gives the sender a receipt that resolves once all events are durable."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from consumers.decoding import Record
from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Outcome, OutcomeKind, count_only
from consumers.queueing.retrying import Backoff
from consumers.queueing.work_turns import WorkTurns
from consumers.spans import Joined, NoAnswer, Span, SpanEvent, SpanJoin, TraceKey
from consumers.spans.span_parts import MOST_OF_A_PART, SpanPart, parts_of

Storing: TypeAlias = "asyncio.Task[Sequence[Outcome]]"
"""Stores the events of one trace."""
_CHUNK = 200
"""Most events submitted at once."""
_SLICE = MOST_OF_A_PART
"""About the most traces closed in one turn."""
_SHORTEST_REST, _LONGEST_REST = 0.001, 0.003
"""Seconds of a rest between two slices. The event loop's timers know no shorter one; a slice that took longer than the
longest waited for something else, such as a thread."""
_CLOSING = ("closing",)
"""Has turns of its own at the join, as a sender has; no sender is named by a tuple."""


class Submit(Protocol):
    """Submits records to the pool, and waits while it is full."""

    def __call__(self, records: Sequence[Record], /) -> Awaitable[Sequence[asyncio.Future[Outcome]]]:
        """Returns one receipt per record, in order; it resolves with a durable outcome."""
        ...


class OnDeadLetter(Protocol):
    """Keeps an event that can never become an evaluation, with the reason."""

    def __call__(self, event: SpanEvent, outcome: Outcome, /) -> Awaitable[None]:
        """Returns when it is durable; raises `Unavailable`."""
        ...


OnNoAnswer: TypeAlias = Callable[[NoAnswer], None]
"""Called for each closed trace that gave no answer."""


def _ignore(_: NoAnswer) -> None:
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansReceipt:
    """Tells the sender of spans when they are stored or no longer needed."""

    storing: Sequence[Storing]
    done: asyncio.Future[None]
    """Resolves when the spans' traces are closed and their events durable; cancelled where they are dropped."""

    async def stored(self) -> list[Outcome]:
        """The outcomes of the events that the spans' traces have given so far, once all are durable."""
        ended = await asyncio.gather(*(asyncio.shield(task) for task in self.storing))
        return [outcome for outcomes in ended for outcome in outcomes]


@dataclass(slots=True, eq=False)
class _Sender:
    """Counts the unfinished traces of one sender's spans, and one more while the spans are being added."""

    done: asyncio.Future[None]
    open: int = 1

    def count_down(self) -> None:
        """Resolves `done` when nothing is left to wait for."""
        self.open -= 1
        if self.open == 0 and not self.done.done():
            self.done.set_result(None)


@dataclass(slots=True, eq=False)
class _AwaitedTrace:
    """The senders that wait for a trace, and its events that are not durable yet."""

    # values that traces share: of a hundred thousand open traces, nearly all have one sender and store nothing
    senders: tuple[_Sender, ...] = ()
    storing: frozenset[Storing] = frozenset()
    closed: bool = False

    def finish(self) -> None:
        """Counts the trace as finished for its senders, if it is closed and all its events are durable."""
        if not self.closed or self.storing:
            return
        for sender in self.senders:
            sender.count_down()
        self.senders = ()

    def drop(self) -> None:
        """Cancels the receipts of the trace's senders."""
        for sender in self.senders:
            sender.done.cancel()
        self.senders = ()


class JoinSpans:
    """Drives a `SpanJoin` by the clock, and submits each event until it is stored."""

    def __init__(
        self,
        join: SpanJoin,
        submit: Submit,
        timer: Callable[[], float],
        *,
        on_dead_letter: OnDeadLetter = count_only,
        on_no_answer: OnNoAnswer = _ignore,
        backoff: Backoff | None = None,
        most_storing: int = 1000,
    ) -> None:
        self._join, self._submit, self._timer, self._on_dead_letter = join, submit, timer, on_dead_letter
        self._on_no_answer = on_no_answer
        self._backoff, self._most = backoff or Backoff(first=0.5, most=30.0), most_storing
        self._traces: dict[TraceKey, _AwaitedTrace] = {}
        self._tasks: set[Storing] = set()
        self._storing: Counter[str | None] = Counter()
        """Events that are being stored, by sender."""
        self._changed, self._room = asyncio.Event(), asyncio.Event()
        self._unrested = 0.0
        """Seconds that slices took since the last rest."""
        self._turns = WorkTurns()
        """One slice at a time, of every sender in turn, with other tasks between two slices."""

    @property
    def spans(self) -> int:
        """Spans held."""
        return self._join.spans

    async def add(self, spans: Sequence[Span], *, tenant: str | None = None) -> SpansReceipt:
        """Adds the spans of one sender once there is room; `tenant` is the only one it may write for."""
        return await self.add_parts(parts_of(spans), tenant=tenant)

    async def add_parts(self, parts: Iterable[SpanPart], *, tenant: str | None = None) -> SpansReceipt:
        """The same of spans that come in parts. A part is unpacked when it is its turn."""
        sender, storing = _Sender(asyncio.get_running_loop().create_future()), set[Storing]()
        for part in parts:
            await self._has_room(tenant)
            async with self._turns.turn(tenant):
                if not sender.done.cancelled():
                    storing.update(await self._add_part(part, sender, tenant))
            if sender.done.cancelled():
                break
        sender.count_down()
        return SpansReceipt(storing=list(storing), done=sender.done)

    async def _add_part(self, part: SpanPart, sender: _Sender, tenant: str | None) -> list[Storing]:
        """Adds spans and returns what stores the events of their traces. Leaves the join within its limits."""
        began = self._timer()
        spans = part.unpack()
        traces = self._expect(dict.fromkeys(each.trace_id for each in spans), sender, tenant)
        self._store_events(self._join.add(spans, began, tenant=tenant, more=part.more))
        self._changed.set()
        storing = [task for trace in traces for task in trace.storing]
        await self._rest(began)
        while self._join.is_full:
            await self._close_slice()
        return storing

    def _expect(self, trace_ids: Iterable[str], sender: _Sender, tenant: str | None) -> list[_AwaitedTrace]:
        """The traces, which the sender now waits for."""
        traces = [self._trace(TraceKey(tenant, each)) for each in trace_ids]
        own = (sender,)
        for trace in traces:
            if sender not in trace.senders:
                trace.senders += own
                sender.open += 1
        return traces

    async def run(self) -> None:
        """Closes traces when their time is up, until cancelled. Those of a sender without room wait."""
        while True:
            self._changed.clear()
            due = self._join.due_at(self._without_room())
            with suppress(TimeoutError):
                async with asyncio.timeout(None if due is None else max(due - self._timer(), 0.0)):
                    await self._changed.wait()
            async with self._turns.turn(_CLOSING):
                await self._close_slice()

    async def _close_slice(self) -> None:
        began = self._timer()
        self._apply(self._join.close_due(began, most=_SLICE, waiting=self._without_room()))
        await self._rest(began)

    async def _rest(self, began: float) -> None:
        """Leaves the event loop to other tasks, in all for as long as slices took: a request takes many steps of it."""
        self._unrested += max(self._timer() - began, 0.0)
        if self._unrested < _SHORTEST_REST:
            await asyncio.sleep(0)
            return
        rest, self._unrested = min(self._unrested, _LONGEST_REST), 0.0
        await asyncio.sleep(rest)

    def _without_room(self) -> set[str | None]:
        return {tenant for tenant, count in self._storing.items() if count >= self._share()}

    def _share(self) -> int:
        """Most events of one sender that are being stored before its next ones wait."""
        return max(self._most // max(len(self._storing), 1), 1)

    async def _has_room(self, tenant: str | None) -> None:
        while self._storing[tenant] >= self._share():
            self._room.clear()
            await self._room.wait()

    async def close(self) -> None:
        """Closes every trace now, and waits until their events are durable."""
        self._apply(self._join.close_all())
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def forget(self) -> None:
        """Drops every open trace with its events that are not stored: other workers receive the spans again."""
        self._join.drop(self._traces)
        for trace in self._traces.values():
            trace.drop()
        self._traces.clear()
        for task in self._tasks:
            task.cancel()

    def _trace(self, key: TraceKey) -> _AwaitedTrace:
        return self._traces.setdefault(key, _AwaitedTrace())

    def _apply(self, step: Joined) -> None:
        self._store_events(step.events)
        for each in step.unanswered:
            self._on_no_answer(each)
        for key in step.closed:
            trace = self._traces.pop(key, None)
            if trace is not None:
                trace.closed = True
                trace.finish()

    def _store_events(self, events: Sequence[SpanEvent]) -> None:
        by_trace: dict[TraceKey, list[SpanEvent]] = {}
        for event in events:
            by_trace.setdefault(event.trace, []).append(event)
        for key, given in by_trace.items():
            self._start(key, given)

    def _start(self, key: TraceKey, events: Sequence[SpanEvent]) -> None:
        trace = self._trace(key)
        task = asyncio.create_task(self._store(events))
        trace.storing |= {task}
        self._tasks.add(task)
        self._count(key.tenant, len(events))

        def ended(task: Storing) -> None:
            trace.storing -= {task}
            self._tasks.discard(task)
            self._count(key.tenant, -len(events))
            failed = task.cancelled() or task.exception() is not None
            trace.drop() if failed else trace.finish()

        task.add_done_callback(ended)

    def _count(self, tenant: str | None, events: int) -> None:
        self._storing[tenant] += events
        if self._storing[tenant] == 0:
            del self._storing[tenant]
        if events < 0:
            self._room.set()
            self._changed.set()

    async def _store(self, events: Sequence[SpanEvent]) -> Sequence[Outcome]:
        ended: list[Outcome] = []
        for start in range(0, len(events), _CHUNK):
            ended += await self._store_chunk(events[start : start + _CHUNK])
        return ended

    async def _store_chunk(self, events: Sequence[SpanEvent]) -> Sequence[Outcome]:
        pending, ended, failures = events, list[Outcome](), 0
        while pending:
            if failures:
                await asyncio.sleep(self._backoff.wait(failures))
            receipts = await self._submit([_record(each) for each in pending])
            waiting: list[SpanEvent] = []
            for event, outcome in zip(pending, await asyncio.gather(*receipts), strict=True):
                if await self._is_durable(event, outcome):
                    ended.append(outcome)
                else:
                    waiting.append(event)
            pending, failures = waiting, failures + 1
        return ended

    async def _is_durable(self, event: SpanEvent, outcome: Outcome) -> bool:
        if outcome.kind is OutcomeKind.DEFERRED:
            return outcome.kept
        if outcome.kind is OutcomeKind.DEAD_LETTERED:
            try:
                await self._on_dead_letter(event, outcome)
            except Unavailable:
                return False
        return True


def _record(event: SpanEvent) -> Record:
    size = sum(len(text) for text in event.payload.values() if isinstance(text, str))
    # the event's id is trace and span id, as in W3C's trace context; an exported span was sampled
    traceparent = f"00-{event.payload['event_id']}-01"
    return Record(payload=event.payload, require_id=True, tenant=event.trace.tenant, size=size, traceparent=traceparent)
