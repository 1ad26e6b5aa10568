"""A worker: the scoring pool, retries, reference judging, the join of spans and a driver for each topic."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace

from consumers.judge_references import JudgeReferences
from consumers.judging.panel import Panel
from consumers.pool.pool import Pool
from consumers.references import ReferenceJudge, ReferencePolicy
from consumers.spans.join_spans import JoinSpans
from consumers.stream.driver import Driver
from service.background import background_task
from service.kafka.consumer import consuming
from service.metrics.canary_metrics import UncountedReferences
from service.pipeline.agent_alarms import watching_agents
from service.pipeline.agent_canaries import showing_canaries
from service.pipeline.agent_estimates import showing_estimates
from service.pipeline.agent_silences import showing_silences
from service.pipeline.process_parts import ProcessParts, utc_now
from service.pipeline.scoring_pool import retrying_deferred, running_pool, scoring_pool
from service.pipeline.sending_scores import sending_scores
from service.pipeline.span_intake import PublishSpanDeadLetter, running_join
from service.pipeline.topic_drivers import topic_drivers
from service.pipeline.waiting_feedback import attaching_feedback
from service.processes.reference_processes import pair_timeout, reference_processes
from service.storage.canaries.canary_rows import PostgresCanaries
from service.storage.reference_store import PostgresReferences

_REFERENCES_PER_PROCESS = 4
"""Answers that a process judges by their references in one lease."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A running worker."""

    pool: Pool
    task: asyncio.Task[None]
    joined: JoinSpans
    drivers: Sequence[Driver]

    def fault(self) -> str | None:
        """Why the process should be restarted; `None` while it is healthy."""
        if self.task.done():
            return "the worker has stopped"
        return next((fault for each in self.drivers if (fault := each.fault())), None)

    @property
    def stuck(self) -> list[str]:
        """Partitions that stand before a batch that cannot be read, each with the cause."""
        return [str(batch) for each in self.drivers for batch in each.stuck]


@asynccontextmanager
async def running_worker(parts: ProcessParts, panel: Panel) -> AsyncGenerator[Worker]:
    """A running worker. On leaving, events in flight have the shutdown time to end.

    Raises `KafkaUnavailable`.
    """
    settings = parts.settings
    pool = scoring_pool(parts, panel)
    async with AsyncExitStack() as stack:
        task = await stack.enter_async_context(running_pool(pool, settings.limits.shutdown_seconds))
        await stack.enter_async_context(retrying_deferred(parts, panel, pool))
        await stack.enter_async_context(_judging_references(parts))
        await stack.enter_async_context(watching_agents(parts))
        await stack.enter_async_context(showing_silences(parts))
        await stack.enter_async_context(showing_estimates(parts))
        await stack.enter_async_context(showing_canaries(parts))
        await stack.enter_async_context(sending_scores(parts))
        await stack.enter_async_context(attaching_feedback(parts))
        joined = await stack.enter_async_context(_joining_spans(parts, pool))
        drivers = topic_drivers(parts, pool, joined)
        if drivers:
            await stack.enter_async_context(consuming(settings.kafka, drivers))
        yield Worker(pool=pool, task=task, joined=joined, drivers=[driver for driver, _ in drivers])


@asynccontextmanager
async def _judging_references(parts: ProcessParts) -> AsyncGenerator[None]:
    async with reference_processes(parts.settings.references) as processes:
        answers = _reference_judge(parts, processes)
        canaries = replace(
            answers, awaited=PostgresCanaries(parts.engine), counts=UncountedReferences(), publisher=None, topic=""
        )
        async with (
            background_task(answers.run(), "judge-references"),
            background_task(canaries.run(), "judge-canaries"),
        ):
            yield


def _reference_judge(parts: ProcessParts, processes: ReferenceJudge) -> JudgeReferences:
    settings = parts.settings.references
    return JudgeReferences(
        awaited=PostgresReferences(parts.engine),
        judge=processes,
        rules=parts.rules,
        policy=ReferencePolicy(
            judge=settings.enabled,
            patience=settings.patience,
            at_once=settings.processes * _REFERENCES_PER_PROCESS,
            lease=_REFERENCES_PER_PROCESS * pair_timeout(settings),
        ),
        counts=parts.metrics.references,
        outcomes=parts.metrics,
        clock=utc_now,
        publisher=parts.publisher,
        topic=parts.settings.kafka.topic_scores,
    )


def _joining_spans(parts: ProcessParts, pool: Pool) -> AbstractAsyncContextManager[JoinSpans]:
    settings, kafka, publisher = parts.settings, parts.settings.kafka, parts.publisher
    if publisher is None or not kafka.topic_spans:
        return running_join(settings.spans, pool.submit, parts.metrics, patience=settings.limits.shutdown_seconds)
    on_dead_letter = PublishSpanDeadLetter(publisher=publisher, topic=kafka.topic_events, dead_topic=kafka.topic_dead)
    return running_join(settings.spans, pool.submit, parts.metrics, patience=0, on_dead_letter=on_dead_letter)
