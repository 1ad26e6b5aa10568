"""What a worker runs: the pool, the retries of events put off, and a driver for each topic it reads."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.decoding import Record
from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.evaluation.retries import Retries
from consumers.judge_references import JudgeReferences
from consumers.judging.panel import Panel
from consumers.keep_labels import KeepLabels, LabelRecord
from consumers.pool.deferring import RetryDeferred, count_only
from consumers.pool.limits import PoolLimits
from consumers.pool.pool import Pool
from consumers.pool.ports import Results
from consumers.pool.scorers import Scorer, ThreadScorer
from consumers.ports import RuleSource
from consumers.references import ReferencePolicy
from consumers.score_events import ScoreEvents
from consumers.spans.join_spans import JoinSpans
from consumers.stream.dead_letter_limit import DeadLetterPolicy
from consumers.stream.dead_letters import Draft, PlainRecord, publish_dead_letter, trigger_of
from consumers.stream.driver import Driver, DriverPolicy, Handle, Receipts
from consumers.stream.ports import Publisher, StreamRecord
from consumers.wire.events import InvalidEvent
from service.kafka.client import consuming
from service.kafka.results_topic import KafkaResults
from service.logs import log
from service.metrics import Metrics
from service.pipeline.span_intake import PublishDeadLetter, SpansFromKafka, joining
from service.processes.reference_processes import pair_timeout, reference_processes
from service.processes.scoring_processes import ProcessScorer
from service.settings import Settings
from service.storage.deferred_store import PostgresDeferred
from service.storage.label_store import PostgresLabels
from service.storage.reference_store import PostgresReferences
from service.storage.scores.score_store import PostgresScores
from service.telemetry import Telemetry, TracedOutcomes, TracedResults

_HEADROOM = 512
"""Bytes a record holds beside its value."""
_REFERENCES = 4
"""Answers that a process is given together, to be judged by their references."""
_PROCESSES = 2
"""Processes that score where none are set: on two cores they use what reading and writing leave of each."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """What is running."""

    pool: Pool
    task: asyncio.Task[None]
    joined: JoinSpans
    drivers: Sequence[Driver]

    def fault(self) -> str | None:
        """Why a new process would do better than this one; `None` while all is well."""
        if self.task.done():
            return "the worker has stopped"
        return next((fault for each in self.drivers if (fault := each.fault())), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a worker is made of."""

    settings: Settings
    engine: AsyncEngine
    rules: RuleSource
    panel: Panel
    metrics: Metrics
    publisher: Publisher | None
    """Where Kafka is set."""
    telemetry: Telemetry | None = None
    """Where OpenTelemetry is on."""


@asynccontextmanager
async def working(parts: Parts) -> AsyncGenerator[Worker]:
    """A running worker; on leaving, what it took is finished as far as the time for shutdown suffices.

    Raises `KafkaUnavailable`.
    """
    settings, seconds = parts.settings, parts.settings.limits.shutdown_seconds
    pool = _pool(parts)
    async with AsyncExitStack() as stack:
        task = await stack.enter_async_context(_running(pool, seconds))
        await stack.enter_async_context(_retrying(parts, pool))
        await stack.enter_async_context(_judging_references(parts))
        joined = await stack.enter_async_context(_joining(parts, pool))
        drivers = _drivers(parts, pool, joined)
        if drivers:
            await stack.enter_async_context(consuming(settings.kafka, drivers))
        yield Worker(pool=pool, task=task, joined=joined, drivers=[driver for driver, _ in drivers])


def _pool(parts: Parts) -> Pool:
    settings, kafka, telemetry = parts.settings, parts.settings.kafka, parts.telemetry
    pool, limits = settings.pool, settings.limits
    score = ScoreEvents(
        panel=parts.panel,
        rules=parts.rules,
        store=PostgresScores(parts.engine),
        outcomes=parts.metrics if telemetry is None else TracedOutcomes(parts.metrics, telemetry),
        clock=_now,
        timer=time.monotonic,
        max_event_bytes=limits.max_event_bytes,
        traced=telemetry is not None,
    )
    bounds = PoolLimits(
        records=pool.in_flight,
        size=pool.bytes,
        batch=limits.batch_size,
        linger=limits.linger_ms / 1000,
        tenant_asks=pool.tenant_in_flight,
        deadline=pool.event_deadline,
        # those who sent by HTTP are told to send again; a record of Kafka waits for as long as it takes
        patience=pool.patience if parts.publisher is None else None,
    )
    results: Results | None = None
    if parts.publisher is not None and kafka.topic_scores:
        results = KafkaResults(publisher=parts.publisher, topic=kafka.topic_scores, engine=parts.engine)
        results = results if telemetry is None else TracedResults(results, time.monotonic)
    deferred, retries = PostgresDeferred(parts.engine), Retries(attempts=pool.attempts)
    return Pool(
        score, limits=bounds, deferred=deferred, results=results, retries=retries, scorer=_scorer(settings, score)
    )


def _scorer(settings: Settings, score: ScoreEvents) -> Scorer:
    processes = settings.pool.processes
    if processes is None:
        streams = settings.kafka.bootstrap_servers is not None and (os.cpu_count() or 1) > 1
        processes = _PROCESSES if streams else 0
    if not processes:
        return ThreadScorer(score)
    return ProcessScorer(score, processes=processes, weights=settings.judge.weights)


def _now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def _running(pool: Pool, seconds: float) -> AsyncGenerator[asyncio.Task[None]]:
    task = asyncio.create_task(pool.run(), name="score-events")
    try:
        yield task
    finally:
        try:
            async with asyncio.timeout(seconds):
                pool.close()
                await task
        except TimeoutError:
            log.warning("shutdown_cut_short", waiting=pool.depth)
            task.cancel()


@asynccontextmanager
async def _retrying(parts: Parts, pool: Pool) -> AsyncGenerator[None]:
    retry = RetryDeferred(
        deferred=PostgresDeferred(parts.engine),
        submit=pool.submit,
        outcomes=parts.metrics,
        clock=_now,
        on_dead_letter=_dead_lettering(parts),
        breaker=parts.panel.breaker,
    )
    task = asyncio.create_task(retry.run(), name="retry-deferred")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def _judging_references(parts: Parts) -> AsyncGenerator[None]:
    settings, kafka = parts.settings.references, parts.settings.kafka
    at_once = settings.processes * _REFERENCES
    async with reference_processes(settings) as processes:
        judge = JudgeReferences(
            awaited=PostgresReferences(parts.engine),
            judge=processes,
            rules=parts.rules,
            policy=ReferencePolicy(
                judge=settings.enabled,
                patience=settings.patience,
                at_once=at_once,
                lease=_REFERENCES * pair_timeout(settings),
            ),
            counts=parts.metrics.references,
            outcomes=parts.metrics,
            clock=_now,
            publisher=parts.publisher,
            topic=kafka.topic_scores,
        )
        task = asyncio.create_task(judge.run(), name="judge-references")
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def _dead_lettering(parts: Parts) -> Callable[[Deferral, Outcome], Awaitable[None]]:
    """Publishes a deferred event that can never be stored to the dead letters, where Kafka is set."""
    kafka, publisher = parts.settings.kafka, parts.publisher
    if publisher is None:
        return count_only

    async def publish_deferral(kept: Deferral, outcome: Outcome) -> None:
        record = PlainRecord(topic=kafka.topic_events, key=None, value=kept.payload)
        await publish_dead_letter(publisher, Draft(record, kafka.topic_dead, outcome.reason, outcome.detail))

    return publish_deferral


def _joining(parts: Parts, pool: Pool) -> AbstractAsyncContextManager[JoinSpans]:
    settings, kafka, publisher = parts.settings, parts.settings.kafka, parts.publisher
    if publisher is None or not kafka.topic_spans:
        return joining(settings.spans, pool.submit, parts.metrics, patience=settings.limits.shutdown_seconds)
    on_dead_letter = PublishDeadLetter(publisher=publisher, topic=kafka.topic_events, dead_topic=kafka.topic_dead)
    return joining(settings.spans, pool.submit, parts.metrics, patience=0, on_dead_letter=on_dead_letter)


def _drivers(parts: Parts, pool: Pool, joined: JoinSpans) -> list[tuple[Driver, str]]:
    """A driver and its consumer group for each topic that is read."""
    kafka, publisher = parts.settings.kafka, parts.publisher
    if publisher is None:
        return []
    spans = SpansFromKafka(
        joined=joined,
        table=parts.settings.spans.table,
        metrics=parts.metrics,
        max_bytes=parts.settings.limits.max_body_bytes,
    )
    drivers = [(_driver(parts, publisher, pool, kafka.topic_events, scoring_events(pool)), kafka.group)]
    if kafka.topic_labels:
        labels = keeping_labels(KeepLabels(store=PostgresLabels(parts.engine)))
        drivers.append((_driver(parts, publisher, pool, kafka.topic_labels, labels), f"{kafka.group}-labels"))
    if kafka.topic_spans:
        policy = _driver_policy(parts.settings)
        # spans wait for their trace by design
        patient = replace(policy, stalled=policy.stalled + 2 * parts.settings.spans.window)
        driver = _driver(parts, publisher, pool, kafka.topic_spans, joining_spans(spans), joined.forget, patient)
        drivers.append((driver, f"{kafka.group}-spans"))
    return drivers


def _driver(
    parts: Parts,
    publisher: Publisher,
    pool: Pool,
    topic: str,
    handle: Handle,
    released: Callable[[], None] = lambda: None,
    policy: DriverPolicy | None = None,
) -> Driver:
    return Driver(
        topic=topic,
        dead_topic=parts.settings.kafka.topic_dead,
        handle=handle,
        publisher=publisher,
        flow=parts.metrics.kafka,
        failed=parts.metrics.failed,
        clock=time.time,
        timer=time.monotonic,
        policy=policy or _driver_policy(parts.settings),
        excused=lambda: pool.waits,
        released=released,
    )


def _driver_policy(settings: Settings) -> DriverPolicy:
    kafka = settings.kafka
    return DriverPolicy(
        ahead=kafka.max_records,
        drain=kafka.drain,
        stalled=_longest_still(settings),
        limit=DeadLetterPolicy(consecutive=kafka.dead_in_a_row, ratio=kafka.dead_ratio),
    )


def _longest_still(settings: Settings) -> float:
    """Seconds that a partition may stand still: its next event may wait for its turn at a model, then for the model."""
    waits = 3 * settings.pool.event_deadline if settings.judge.base_url is not None else 0.0
    return max(settings.kafka.stalled, waits)


def scoring_events(pool: Pool) -> Handle:
    """Events of the stream into the pool."""

    async def handle(records: Sequence[StreamRecord]) -> Receipts:
        return await pool.submit([event_record(each) for each in records])

    return handle


def event_record(record: StreamRecord) -> Record:
    """A record of the stream as the pool takes it."""
    return Record(
        payload=record.value,
        headers=record.headers,
        timestamp=moment(record.timestamp),
        trigger=trigger_of(record.headers),
        size=len(record.value or b"") + _HEADROOM,
    )


def moment(millis: int) -> datetime | None:
    """A record's timestamp; `None` where it has none, or one that no clock shows.

    >>> moment(-1), moment(10**18)
    (None, None)
    """
    if millis < 0:
        return None
    try:
        return _EPOCH + timedelta(milliseconds=millis)
    except OverflowError:
        return None


def keeping_labels(keep: KeepLabels) -> Handle:
    """Labels of the stream into the store."""

    async def handle(records: Sequence[StreamRecord]) -> Receipts:
        ends = await keep(
            [LabelRecord(payload=each.value, sent_at=moment(each.timestamp) or _now()) for each in records]
        )
        return [_ended(end) for end in ends]

    return handle


def _ended(end: Outcome | None) -> asyncio.Future[Outcome] | asyncio.Future[None]:
    receipt: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    receipt.set_result(end)
    return receipt


def joining_spans(spans: SpansFromKafka) -> Handle:
    """Spans of the stream into the join."""

    async def handle(records: Sequence[StreamRecord]) -> Receipts:
        return [await _taken(spans, each) for each in records]

    return handle


async def _taken(spans: SpansFromKafka, record: StreamRecord) -> asyncio.Future[Outcome] | asyncio.Future[None]:
    try:
        return await spans.take(record.value, record.headers)
    except InvalidEvent as error:
        return _ended(Outcome(kind=OutcomeKind.DEAD_LETTERED, reason=error.reason.value, detail=error.detail))
