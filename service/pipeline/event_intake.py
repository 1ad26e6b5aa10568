"""Takes the events of HTTP requests into this process's pool, or writes them to Kafka for the workers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from consumers.decoding import Known, MomentBounds, Record, decode, decode_timed
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.evaluation.timings import StageTiming
from consumers.pool.pool import Pool
from consumers.publishing.event_messages import event_message
from consumers.spans.join_spans import JoinSpans, Submit
from consumers.stream.ports import Publisher
from consumers.wire.events import InvalidReason
from service.metrics import Metrics
from service.pipeline.process_parts import ProcessParts, utc_now
from service.pipeline.span_feedback import keep_span_feedback
from service.pipeline.span_intake import SpanIntake, SpansInMemory, SpansToKafka, running_join
from service.pipeline.worker import Worker
from service.settings.loading import SettingsError
from service.telemetry import Telemetry
from service.telemetry.tracing import PUBLISH, outcome_attributes


@dataclass(frozen=True, slots=True)
class Published:
    """An event written to Kafka, which a worker will score."""

    event_id: str


class EventIntake(Protocol):
    """Takes records."""

    async def accept(self, records: Sequence[Record]) -> Sequence[Outcome | Published]:
        """The outcome of each record, in order; raises `Unavailable` if they must be sent again."""
        ...


@dataclass(frozen=True, slots=True)
class EventsInMemory:
    """Scores in this process and answers once the rows are committed."""

    pool: Pool

    async def accept(self, records: Sequence[Record]) -> Sequence[Outcome | Published]:
        return await asyncio.gather(*await self.pool.submit(records))


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsToKafka:
    """Validates events and writes them to the topic that the workers read."""

    publisher: Publisher
    topic: str
    metrics: Metrics
    max_event_bytes: int
    moments: MomentBounds = MomentBounds()  # noqa: RUF009 it is frozen
    telemetry: Telemetry | None = None
    """`None` without OpenTelemetry."""

    async def accept(self, records: Sequence[Record]) -> Sequence[Outcome | Published]:
        """Returns `Published` once all in-sync replicas have the event, or why it is invalid.

        Raises `KafkaUnavailable`.
        """
        decoded = await asyncio.to_thread(lambda: [self._decode(each) for each in records])
        known = [each for each in decoded if isinstance(each, Known)]
        began = time.monotonic()
        large = await self.publisher.publish([event_message(each, self.topic) for each in known])
        refused = {id(known[place]) for place in large}
        ends = [self._end(each, id(each) in refused) for each in decoded]
        self.metrics.published([each for each in ends if isinstance(each, Outcome)], len(ends))
        if self.telemetry is not None:
            try:
                export_published_traces(self.telemetry, decoded, ends, StageTiming("publish", began, time.monotonic()))
            except Exception as bug:
                # Kafka has the events, so the request must succeed
                self.metrics.failed("telemetry", bug)
        return ends

    def _decode(self, record: Record) -> Known | Outcome:
        if self.telemetry is not None:
            decoded = decode_timed(record, self.max_event_bytes, time.monotonic)
        else:
            decoded = decode(record, self.max_event_bytes)
        return self.moments.checked(decoded, utc_now())

    def _end(self, decoded: Known | Outcome, refused: bool) -> Outcome | Published:
        if isinstance(decoded, Outcome):
            return decoded
        if not refused:
            return Published(decoded.event.event_id)
        return Outcome(
            kind=OutcomeKind.DEAD_LETTERED,
            reason=InvalidReason.EVENT_TOO_LARGE.value,
            detail="the broker refuses records of this size: shorten its texts or attributes",
            event_id=decoded.event.event_id,
        )


def export_published_traces(
    telemetry: Telemetry, decoded: Sequence[Known | Outcome], ends: Sequence[Outcome | Published], publish: StageTiming
) -> None:
    """Exports the traces of a request's events, with the reasons of those not written to Kafka."""
    for each, end in zip(decoded, ends, strict=True):
        if each.timings is None:
            continue
        if isinstance(each, Known):
            each.timings.add(*publish)
        if isinstance(end, Outcome):
            telemetry.export_trace(PUBLISH, each.timings, outcome_attributes(end), end.reason)
        else:
            telemetry.export_trace(PUBLISH, each.timings, {"sqlassay.event.id": end.event_id}, None)


def event_intake(parts: ProcessParts, worker: Worker | None) -> EventIntake:
    """The intake into Kafka if it is configured, else into the worker's pool."""
    if parts.publisher is None:
        if worker is None:
            raise SettingsError("without Kafka this process has to score itself: use --role all")
        return EventsInMemory(worker.pool)
    return EventsToKafka(
        publisher=parts.publisher,
        topic=parts.settings.kafka.topic_events,
        metrics=parts.metrics,
        max_event_bytes=parts.settings.limits.max_event_bytes,
        moments=parts.settings.limits.moments,
        telemetry=parts.telemetry,
    )


@asynccontextmanager
async def open_span_intake(
    parts: ProcessParts, worker: Worker | None, events: EventIntake
) -> AsyncGenerator[SpanIntake]:
    """The intake of spans into their topic if one is configured, else into a join in this process."""
    settings = parts.settings
    if parts.publisher is not None and settings.kafka.topic_spans:
        yield SpansToKafka(publisher=parts.publisher, topic=settings.kafka.topic_spans)
    elif worker is not None:
        yield _in_memory(parts, worker.joined)
    else:
        seconds = settings.limits.shutdown_seconds
        async with running_join(settings.spans, _publishing(events), parts.metrics, patience=seconds) as joined:
            yield _in_memory(parts, joined)


def _in_memory(parts: ProcessParts, joined: JoinSpans) -> SpansInMemory:
    return SpansInMemory(joined=joined, feedback=keep_span_feedback(parts), table=parts.settings.spans.table)


def _publishing(events: EventIntake) -> Submit:
    """Adapts the intake to the join: a published event counts as ended."""

    async def submit(records: Sequence[Record], /) -> list[asyncio.Future[Outcome]]:
        ends, receipts = await events.accept(records), list[asyncio.Future[Outcome]]()
        for end in ends:
            receipt: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
            receipt.set_result(end if isinstance(end, Outcome) else Outcome(kind=OutcomeKind.DEFERRED, kept=True))
            receipts.append(receipt)
        return receipts

    return submit
