"""A driver for each Kafka topic that a worker reads: events, labels, feedback and spans."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from consumers.keep_feedback import KeepFeedback
from consumers.keep_labels import KeepLabels
from consumers.pool.pool import Pool
from consumers.spans.join_spans import JoinSpans
from consumers.stream.dead_letter_limit import DeadLetterPolicy
from consumers.stream.driver import Driver, DriverPolicy, DriverWorld, Handle
from consumers.stream.ports import Publisher
from service.pipeline.process_parts import ProcessParts
from service.pipeline.span_feedback import keep_span_feedback
from service.pipeline.span_intake import SpansFromKafka
from service.pipeline.topic_handlers import (
    join_span_records,
    keep_feedback_records,
    keep_label_records,
    score_records,
)
from service.settings import Settings
from service.storage.feedback.feedback_store import PostgresFeedback
from service.storage.label_store import PostgresLabels


def topic_drivers(parts: ProcessParts, pool: Pool, joined: JoinSpans) -> list[tuple[Driver, str]]:
    """A driver and its consumer group for each topic; empty without Kafka."""
    kafka, publisher = parts.settings.kafka, parts.publisher
    if publisher is None:
        return []
    groups = kafka.groups
    drivers = [(_driver(parts, publisher, pool, kafka.topic_events, score_records(pool)), groups[kafka.topic_events])]
    if kafka.topic_labels:
        handle = keep_label_records(KeepLabels(store=PostgresLabels(parts.engine)), parts.metrics.stalled)
        drivers.append((_driver(parts, publisher, pool, kafka.topic_labels, handle), groups[kafka.topic_labels]))
    if kafka.topic_feedback:
        keep = KeepFeedback(store=PostgresFeedback(parts.engine), rules=parts.rules)
        handle = keep_feedback_records(keep, parts.metrics.stalled)
        drivers.append((_driver(parts, publisher, pool, kafka.topic_feedback, handle), groups[kafka.topic_feedback]))
    if kafka.topic_spans:
        drivers.append((_span_driver(parts, publisher, pool, joined), groups[kafka.topic_spans]))
    return drivers


def _span_driver(parts: ProcessParts, publisher: Publisher, pool: Pool, joined: JoinSpans) -> Driver:
    settings = parts.settings
    spans = SpansFromKafka(
        joined=joined,
        feedback=keep_span_feedback(parts),
        reading=parts.reading,
        table=settings.spans.table,
        metrics=parts.metrics,
        max_bytes=settings.limits.max_body_bytes,
    )
    policy = _driver_policy(settings)
    # spans wait for the rest of their trace, which is not a stall
    patient = replace(policy, stalled=policy.stalled + 2 * settings.spans.window)
    handle = join_span_records(spans)
    # a rebalance revokes every partition, so the spans of every open trace are read again, here or elsewhere
    return _driver(parts, publisher, pool, settings.kafka.topic_spans, handle, joined.forget, patient)


def _driver(
    parts: ProcessParts,
    publisher: Publisher,
    pool: Pool,
    topic: str,
    handle: Handle,
    released: Callable[[], None] = lambda: None,
    policy: DriverPolicy | None = None,
) -> Driver:
    world = DriverWorld(
        publisher=publisher,
        dead_topic=parts.settings.kafka.topic_dead,
        flow=parts.metrics.kafka,
        failed=parts.metrics.failed,
        clock=time.time,
        timer=time.monotonic,
        excused=lambda: pool.waits,
    )
    policy = policy or _driver_policy(parts.settings)
    return Driver(topic=topic, handle=handle, world=world, policy=policy, released=released)


def _driver_policy(settings: Settings) -> DriverPolicy:
    kafka = settings.kafka
    return DriverPolicy(
        ahead=kafka.max_records,
        drain=kafka.drain,
        stalled=_stall_seconds(settings),
        limit=DeadLetterPolicy(consecutive=kafka.dead_in_a_row, ratio=kafka.dead_ratio),
    )


def _stall_seconds(settings: Settings) -> float:
    """Seconds without progress that count as a stall: an event may wait its turn for the model, then for the model."""
    model_wait = 3 * settings.pool.event_deadline if settings.judge.base_url is not None else 0.0
    return max(settings.kafka.stalled, model_wait)
