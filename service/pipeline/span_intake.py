"""Takes the spans of HTTP requests into a join in this process, or writes them to Kafka for the workers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

import orjson

from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Outcome, OutcomeKind, count_only
from consumers.spans import JoinLimits, NoAnswer, SpanEvent, SpanJoin, SpanTable
from consumers.spans.join_spans import JoinSpans, OnDeadLetter, Submit
from consumers.stream.dead_letters import PlainRecord, UnpublishedDeadLetter, publish_dead_letter
from consumers.stream.ports import Message, Publisher
from consumers.wire.envelopes import Headers
from consumers.wire.events import InvalidEvent, InvalidReason, refuse_large
from service.logs import log
from service.metrics import Metrics
from service.otlp.prepared_spans import (
    ExportReader,
    Prepare,
    PreparedSpans,
    SpanRecord,
    preparing_for_join,
    preparing_for_kafka,
)
from service.pipeline.span_feedback import KeepSpanFeedback
from service.processes.apart import ReadingApart
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

    @property
    def prepare(self) -> Prepare:
        """What it needs of an export."""
        ...

    async def accept(self, prepared: PreparedSpans, tenant: str | None) -> Rejected:
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
    table: SpanTable
    patience: float = 5.0
    """Seconds to wait until complete events are durable."""

    @property
    def prepare(self) -> Prepare:
        """Reads the fields of the spans."""
        return preparing_for_join(self.table)

    async def accept(self, prepared: PreparedSpans, tenant: str | None) -> Rejected:
        """Takes the spans and waits until every event that they complete is durable; raises `Unavailable`."""
        try:
            async with asyncio.timeout(self.patience):
                await self.feedback(prepared.said, tenant)
                receipt = await self.joined.add_parts(prepared.parts, tenant=tenant)
                outcomes = await receipt.stored()
        except TimeoutError:
            raise Unavailable("events of these spans are not stored yet: send them again") from None
        dead = [each for each in outcomes if each.kind is OutcomeKind.DEAD_LETTERED]
        fault = prepared.fault or (dead[0].detail if dead else "")
        return Rejected(count=prepared.rejected + len(dead), fault=fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansToKafka:
    """Writes spans to the spans topic, keyed by trace, so that one worker reads all spans of a trace."""

    publisher: Publisher
    topic: str
    most_bytes: int = 512 * 1024
    """Largest record."""

    @property
    def prepare(self) -> Prepare:
        """Writes the records."""
        return preparing_for_kafka(self.most_bytes)

    async def accept(self, prepared: PreparedSpans, tenant: str | None) -> Rejected:
        """Returns once every record is acknowledged; raises `Unavailable`."""
        small = [each for each in prepared.records if len(each.value) <= self.most_bytes]
        refused = await self.publisher.publish([self._message(each, tenant) for each in small])
        large = [each for each in prepared.records if len(each.value) > self.most_bytes]
        large += [small[place] for place in refused]
        fault = f"a span has {len(large[0].value)} bytes, more than one record holds" if large else ""
        return Rejected(count=prepared.rejected + sum(each.spans for each in large), fault=prepared.fault or fault)

    def _message(self, record: SpanRecord, tenant: str | None) -> Message:
        headers = [] if tenant is None else [(TENANT_HEADER, tenant.encode())]
        return Message(topic=self.topic, key=record.trace_id.encode(), value=record.value, headers=headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansFromKafka:
    """Joins the records of the spans topic, written by `SpansToKafka` or by the Collector's Kafka exporter."""

    joined: JoinSpans
    feedback: KeepSpanFeedback
    reading: ReadingApart
    table: SpanTable
    metrics: Metrics
    max_bytes: int

    async def read(self, value: bytes | None, headers: Headers) -> asyncio.Future[None]:
        """Takes one record, whose offset may be committed when the receipt resolves. Raises `InvalidEvent`."""
        if value is None:
            raise InvalidEvent(InvalidReason.NO_VALUE, "the record has no value (a tombstone): send spans")
        refuse_large(len(value), self.max_bytes)
        tenant = _sender(headers)
        reader = ExportReader(table=self.table, then=preparing_for_join(self.table))
        prepared = await self.reading.read(tenant, value, reader)
        if prepared.rejected and not prepared.count:
            raise InvalidEvent(InvalidReason.NOT_OTLP, f"no span of the record can be read: {prepared.fault}")
        self.metrics.spans_received(prepared.count, prepared.rejected)
        await self.feedback(prepared.said, tenant)
        return (await self.joined.add_parts(prepared.parts, tenant=tenant)).done


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
