"""Where the events of an HTTP request go: into this process's own pool, or to Kafka for the workers'."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from consumers.decoding import Known, Record, decode, decode_timed
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.evaluation.timings import StageTiming
from consumers.pool.pool import Pool
from consumers.publishing.events import event_message
from consumers.spans.join_spans import Submit
from consumers.stream.ports import Publisher
from consumers.wire.events import InvalidReason
from service.metrics import Metrics
from service.pipeline.span_intake import SpanIntake, SpansInMemory, SpansToKafka, joining
from service.pipeline.worker import Worker
from service.settings import Settings
from service.settings.loading import SettingsError
from service.telemetry import Telemetry
from service.telemetry.tracing import PUBLISH, outcome_attributes


@dataclass(frozen=True, slots=True)
class Published:
    """An event that Kafka has, and a worker will score."""

    event_id: str


class EventIntake(Protocol):
    """Takes records."""

    async def take(self, records: Sequence[Record]) -> Sequence[Outcome | Published]:
        """What became of each, in order; raises `Unavailable` where they must be sent again."""
        ...


@dataclass(frozen=True, slots=True)
class EventsInMemory:
    """Scores in this process: an answer comes when the row is committed."""

    pool: Pool

    async def take(self, records: Sequence[Record]) -> Sequence[Outcome | Published]:
        """How each record ended."""
        return await asyncio.gather(*await self.pool.submit(records))


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsToKafka:
    """Validates, then writes to the topic that the workers read."""

    publisher: Publisher
    topic: str
    metrics: Metrics
    max_event_bytes: int
    telemetry: Telemetry | None = None
    """Where OpenTelemetry is on."""

    async def take(self, records: Sequence[Record]) -> Sequence[Outcome | Published]:
        """Published once all replicas in sync have it, or why it never can be; raises `KafkaUnavailable`."""
        decoded = await asyncio.to_thread(lambda: [self._decode(each) for each in records])
        known = [each for each in decoded if isinstance(each, Known)]
        began = time.monotonic()
        large = await self.publisher.publish([event_message(each, self.topic) for each in known])
        refused = {id(known[place]) for place in large}
        ends = [self._end(each, id(each) in refused) for each in decoded]
        self.metrics.published([each for each in ends if isinstance(each, Outcome)], len(ends))
        if self.telemetry is not None:
            try:
                draw_published(self.telemetry, decoded, ends, StageTiming("publish", began, time.monotonic()))
            except Exception as bug:
                # Kafka has the events: nothing may keep that from their sender
                self.metrics.failed("telemetry", bug)
        return ends

    def _decode(self, record: Record) -> Known | Outcome:
        if self.telemetry is not None:
            return decode_timed(record, self.max_event_bytes, time.monotonic)
        return decode(record, self.max_event_bytes)

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


def draw_published(
    telemetry: Telemetry, decoded: Sequence[Known | Outcome], ends: Sequence[Outcome | Published], publish: StageTiming
) -> None:
    """Draws the traces of the events of a request: written to Kafka, or why not."""
    for each, end in zip(decoded, ends, strict=True):
        if each.timings is None:
            continue
        if isinstance(each, Known):
            each.timings.add(*publish)
        if isinstance(end, Outcome):
            telemetry.export_trace(PUBLISH, each.timings, outcome_attributes(end), end.reason)
        else:
            telemetry.export_trace(PUBLISH, each.timings, {"sqlassay.event.id": end.event_id}, None)


def event_intake(
    settings: Settings,
    metrics: Metrics,
    publisher: Publisher | None,
    worker: Worker | None,
    telemetry: Telemetry | None = None,
) -> EventIntake:
    """Kafka's where it is set, else the worker's own."""
    if publisher is None:
        if worker is None:
            raise SettingsError("without Kafka this process has to score itself: use --role all")
        return EventsInMemory(worker.pool)
    most, topic = settings.limits.max_event_bytes, settings.kafka.topic_events
    return EventsToKafka(publisher=publisher, topic=topic, metrics=metrics, max_event_bytes=most, telemetry=telemetry)


@asynccontextmanager
async def opened_spans(
    settings: Settings, metrics: Metrics, publisher: Publisher | None, worker: Worker | None, events: EventIntake
) -> AsyncGenerator[SpanIntake]:
    """Where spans go: to their topic where one is set, else into a join in this process."""
    if publisher is not None and settings.kafka.topic_spans:
        yield SpansToKafka(publisher=publisher, topic=settings.kafka.topic_spans)
    elif worker is not None:
        yield SpansInMemory(joined=worker.joined)
    else:
        seconds = settings.limits.shutdown_seconds
        async with joining(settings.spans, _publishing(events), metrics, patience=seconds) as joined:
            yield SpansInMemory(joined=joined)


def _publishing(events: EventIntake) -> Submit:
    """The intake as the join takes it: what is published has ended, as far as spans go."""

    async def submit(records: Sequence[Record], /) -> list[asyncio.Future[Outcome]]:
        ends, receipts = await events.take(records), list[asyncio.Future[Outcome]]()
        for end in ends:
            receipt: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
            receipt.set_result(end if isinstance(end, Outcome) else Outcome(kind=OutcomeKind.DEFERRED, kept=True))
            receipts.append(receipt)
        return receipts

    return submit
