"""Takes the spans of HTTP requests into a join in this process, or writes them to Kafka for the workers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

import orjson

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Outcome, OutcomeKind, count_only
from consumers.spans import JoinLimits, NoAnswer, Span, SpanEvent, SpanJoin, SpanTable
from consumers.spans.join_spans import JoinSpans, OnDeadLetter, Submit
from consumers.stream.dead_letters import PlainRecord, UnpublishedDeadLetter, publish_dead_letter
from consumers.stream.ports import Message, Publisher
from consumers.wire.envelopes import Headers
from consumers.wire.events import InvalidEvent, InvalidReason, refuse_large
from service.logs import log
from service.metrics import Metrics
from service.otlp import Export, read_otlp, write_protobuf
from service.pipeline.span_feedback import KeepSpanFeedback
from service.settings.intake_settings import SpanSettings

_MOST_SHAPES = 500
"""Kinds of traces without an answer that are logged, per process."""
TENANT_HEADER = "sqlassay-tenant"
"""Header of a span record: the only tenant that its sender may write for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """How many spans of an export can never become an event, and why the first cannot."""

    count: int = 0
    fault: str = ""


class SpanIntake(Protocol):
    """Takes spans from an exporter."""

    async def accept(self, export: Export, tenant: str | None) -> Rejected:
        """Takes the spans; raises `Unavailable` if they must be sent again."""
        ...


@asynccontextmanager
async def running_join(
    settings: SpanSettings,
    submit: Submit,
    metrics: Metrics,
    *,
    patience: float,
    on_dead_letter: OnDeadLetter | None = None,
) -> AsyncGenerator[JoinSpans]:
    """A running join. On leaving, incomplete traces are closed and their events stored within `patience` seconds.

    With a `patience` of 0 they are dropped, because Kafka delivers their spans to the next process.
    """
    limits = JoinLimits(seconds=settings.window, spans=settings.most, characters=settings.bytes)
    joined = JoinSpans(
        SpanJoin(settings.table, limits),
        submit,
        time.monotonic,
        on_dead_letter=on_dead_letter or count_only,
        on_no_answer=CountNoAnswers(metrics),
    )
    metrics.spans_waiting.set_function(lambda: joined.spans)
    running = asyncio.create_task(joined.run(), name="join-spans")
    try:
        yield joined
        if patience:
            await _finish(joined, patience)
    finally:
        running.cancel()
        joined.forget()
        with suppress(asyncio.CancelledError):
            await running


class CountNoAnswers:
    """Counts traces that gave no answer, and logs each shape of them once: attribute names, never values."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self._seen: set[tuple[object, ...]] = set()

    def __call__(self, trace: NoAnswer) -> None:
        """Counts a trace."""
        self._metrics.trace_without_answer(trace.reason.value)
        shape = (trace.reason, trace.read, trace.unread)
        if shape in self._seen or len(self._seen) >= _MOST_SHAPES:
            return
        self._seen.add(shape)
        log.info("trace_without_answer", reason=trace.reason.value, read=[*trace.read], unread=[*trace.unread])


async def _finish(joined: JoinSpans, patience: float) -> None:
    try:
        async with asyncio.timeout(patience):
            await joined.close()
    except TimeoutError:
        log.warning("span_events_lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansInMemory:
    """Joins spans in this process. Incomplete traces are lost if it is killed."""

    joined: JoinSpans
    feedback: KeepSpanFeedback
    patience: float = 5.0
    """Seconds to wait until complete events are durable."""

    async def accept(self, export: Export, tenant: str | None) -> Rejected:
        """Takes the spans and waits until every event that they complete is durable; raises `Unavailable`."""
        try:
            async with asyncio.timeout(self.patience):
                await self.feedback(export.spans, tenant)
                receipt = await self.joined.add(export.spans, tenant=tenant)
                outcomes = await receipt.stored()
        except TimeoutError:
            raise Unavailable("events of these spans are not stored yet: send them again") from None
        dead = [each for each in outcomes if each.kind is OutcomeKind.DEAD_LETTERED]
        fault = export.fault or (dead[0].detail if dead else "")
        return Rejected(count=export.rejected + len(dead), fault=fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansToKafka:
    """Writes spans to the spans topic, keyed by trace, so that one worker reads all spans of a trace."""

    publisher: Publisher
    topic: str
    most_bytes: int = 512 * 1024
    """Largest record."""

    async def accept(self, export: Export, tenant: str | None) -> Rejected:
        """Returns once every record is acknowledged; raises `Unavailable`."""
        records = await asyncio.to_thread(_all_records, export.spans, self.most_bytes)
        small = [each for each in records if len(each[1]) <= self.most_bytes]
        refused = await self.publisher.publish([self._message(trace, value, tenant) for trace, value, _ in small])
        large = [each for each in records if len(each[1]) > self.most_bytes] + [small[place] for place in refused]
        fault = f"a span has {len(large[0][1])} bytes, more than one record holds" if large else ""
        return Rejected(count=export.rejected + sum(count for *_, count in large), fault=export.fault or fault)

    def _message(self, trace_id: str, value: bytes, tenant: str | None) -> Message:
        headers = [] if tenant is None else [(TENANT_HEADER, tenant.encode())]
        return Message(topic=self.topic, key=trace_id.encode(), value=value, headers=headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansFromKafka:
    """Joins the records of the spans topic, written by `SpansToKafka` or by the Collector's Kafka exporter."""

    joined: JoinSpans
    feedback: KeepSpanFeedback
    table: SpanTable
    metrics: Metrics
    max_bytes: int

    async def read(self, value: bytes | None, headers: Headers) -> asyncio.Future[None]:
        """Takes one record, whose offset may be committed when the receipt resolves. Raises `InvalidEvent`."""
        export = await asyncio.to_thread(self._read, value)
        self.metrics.spans_received(len(export.spans), export.rejected)
        tenant = _sender(headers)
        await self.feedback(export.spans, tenant)
        return (await self.joined.add(export.spans, tenant=tenant)).done

    def _read(self, value: bytes | None) -> Export:
        if value is None:
            raise InvalidEvent(InvalidReason.NO_VALUE, "the record has no value (a tombstone): send spans")
        refuse_large(len(value), self.max_bytes)
        export = read_otlp(value, self.table)
        if export.rejected and not export.spans:
            raise InvalidEvent(InvalidReason.NOT_OTLP, f"no span of the record can be read: {export.fault}")
        return export


def _sender(headers: Headers) -> str | None:
    tenant = next((raw for name, raw in headers if name == TENANT_HEADER and raw), None)
    return None if tenant is None else tenant.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishSpanDeadLetter:
    """Publishes the dead letter of a span event that can never be stored, as plain JSON."""

    publisher: Publisher
    topic: str
    """The events topic, to which a replay sends it."""
    dead_topic: str

    async def __call__(self, event: SpanEvent, outcome: Outcome) -> None:
        """Returns once it is acknowledged; raises `Unavailable`."""
        value, key = orjson.dumps(event.payload), event.trace.trace_id.encode()
        record = PlainRecord(topic=self.topic, key=key, value=value)
        await publish_dead_letter(
            self.publisher, UnpublishedDeadLetter(record, self.dead_topic, outcome.reason, outcome.detail)
        )


def _all_records(spans: Sequence[Span], most_bytes: int) -> list[tuple[str, bytes, int]]:
    """The trace, value and number of spans of each record."""
    return [(trace, *each) for trace, own in _traces(spans).items() for each in _records(own, most_bytes)]


def _traces(spans: Sequence[Span]) -> dict[str, list[Span]]:
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, []).append(span)
    return traces


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
