"""The pool that scores events, and the retries of deferred ones."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from consumers.evaluation.deferrals import Deferral, RetryPolicy
from consumers.evaluation.outcomes import Outcome, count_only
from consumers.judging.panel import Panel
from consumers.pool.deferring import RetryDeferred
from consumers.pool.limits import PoolLimits
from consumers.pool.pool import Pool
from consumers.pool.ports import Results
from consumers.pool.scorers import Scorer
from consumers.score_events import ScoreEvents
from consumers.stream.dead_letters import PlainRecord, UnpublishedDeadLetter, publish_dead_letter
from service.background import background_task
from service.judges.weights import fitted_judge, local_judge
from service.kafka.results_topic import KafkaResults
from service.logs import log
from service.pipeline.process_parts import ProcessParts, utc_now
from service.processes.scoring_processes import ProcessScorer
from service.sinks.configured_sinks import configured_sinks
from service.storage.deferred_store import PostgresDeferred
from service.storage.remembering.bounds import MemoryBounds
from service.storage.remembering.postgres_memory import PostgresMemory
from service.storage.scores.score_store import PostgresScores
from service.telemetry import TracedOutcomes, TracedResults

_SCORING_PROCESSES = 2
"""Scoring processes if no setting says: on two cores they use what reading and writing leave."""


def scoring_pool(parts: ProcessParts, panel: Panel) -> Pool:
    """The pool over the configured judges, stores and results topic."""
    settings, telemetry = parts.settings, parts.telemetry
    score = ScoreEvents(
        panel=panel,
        rules=parts.rules,
        store=PostgresScores(parts.engine, watched=settings.alarms.enabled, sinks=[*configured_sinks(settings.sinks)]),
        outcomes=parts.metrics if telemetry is None else TracedOutcomes(parts.metrics, telemetry),
        clock=utc_now,
        timer=time.monotonic,
        memory=_memory(parts),
        max_event_bytes=settings.limits.max_event_bytes,
        moments=settings.limits.moments,
        traced=telemetry is not None,
        watched=parts.suspected,
    )
    return Pool(
        score,
        limits=_limits(parts),
        deferred=PostgresDeferred(parts.engine, utc_now),
        results=_results(parts),
        retries=RetryPolicy(attempts=settings.pool.attempts),
        scorer=_scorer(parts, score),
    )


def _memory(parts: ProcessParts) -> PostgresMemory | None:
    memory, weights = parts.settings.memory, parts.settings.judge.weights
    if not memory.enabled:
        return None
    judge = local_judge() if weights is None else fitted_judge(weights)
    return PostgresMemory(
        parts.engine, judge.weights.thresholds, MemoryBounds(answers=memory.answers, bytes=memory.bytes)
    )


def _limits(parts: ProcessParts) -> PoolLimits:
    pool, limits = parts.settings.pool, parts.settings.limits
    return PoolLimits(
        records=pool.in_flight,
        size=pool.bytes,
        batch=limits.batch_size,
        linger=limits.linger_ms / 1000,
        tenant_asks=pool.tenant_in_flight,
        deadline=pool.event_deadline,
        # an HTTP sender is told to send again, while a Kafka record waits for as long as it takes
        patience=pool.patience if parts.publisher is None else None,
    )


def _results(parts: ProcessParts) -> tuple[Results, ...]:
    """Where results go; each sink is tried again apart from the others."""
    sinks: list[Results] = []
    topic = parts.settings.kafka.topic_scores
    if parts.publisher is not None and topic:
        sinks.append(KafkaResults(publisher=parts.publisher, topic=topic, engine=parts.engine))
    return tuple(sinks if parts.telemetry is None else [TracedResults(each, time.monotonic) for each in sinks])


def _scorer(parts: ProcessParts, score: ScoreEvents) -> Scorer:
    settings = parts.settings
    processes = settings.pool.processes
    if processes is None:
        streams = settings.kafka.bootstrap_servers is not None and (os.cpu_count() or 1) > 1
        processes = _SCORING_PROCESSES if streams else 1
    return ProcessScorer(
        score,
        processes=max(1, processes),
        weights=settings.judge.weights,
        cpu_seconds=settings.pool.cpu_seconds,
        on_end=parts.metrics.process_ended,
    )


@asynccontextmanager
async def running_pool(pool: Pool, shutdown_seconds: float) -> AsyncGenerator[asyncio.Task[None]]:
    """Runs the pool. On leaving, events in flight have `shutdown_seconds` to end."""
    task = asyncio.create_task(pool.run(), name="score-events")
    try:
        yield task
    finally:
        try:
            async with asyncio.timeout(shutdown_seconds):
                pool.close()
                await task
        except TimeoutError:
            log.warning("shutdown_timeout", waiting=pool.depth)
            task.cancel()


def retrying_deferred(parts: ProcessParts, panel: Panel, pool: Pool) -> AbstractAsyncContextManager[asyncio.Task[None]]:
    """Submits deferred events to the pool when they are due."""
    retry = RetryDeferred(
        deferred=PostgresDeferred(parts.engine, utc_now),
        submit=pool.submit,
        outcomes=parts.metrics,
        clock=utc_now,
        on_dead_letter=_publish_deferral(parts),
        breaker=panel.breaker,
    )
    return background_task(retry.run(), "retry-deferred")


def _publish_deferral(parts: ProcessParts) -> Callable[[Deferral, Outcome], Awaitable[None]]:
    """Publishes the dead letter of a deferred event that can never be stored. Without Kafka it is only counted."""
    kafka, publisher = parts.settings.kafka, parts.publisher
    if publisher is None:
        return count_only

    async def publish_deferral(deferral: Deferral, outcome: Outcome) -> None:
        record = PlainRecord(topic=kafka.topic_events, key=None, value=deferral.payload)
        await publish_dead_letter(
            publisher, UnpublishedDeadLetter(record, kafka.topic_dead, outcome.reason, outcome.detail)
        )

    return publish_deferral
