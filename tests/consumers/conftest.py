from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from consumers.decoding import Record
from consumers.evaluation.deferrals import RetryPolicy
from consumers.evaluation.outcomes import Outcome
from consumers.judging.panel import Panel
from consumers.pool.limits import PoolLimits
from consumers.pool.pool import Pool
from consumers.pool.ports import DeferredEvents, Results
from consumers.ports import RuleSource, ScoreStore, TenantMemories
from consumers.queueing.retrying import Backoff
from consumers.score_events import ScoreEvents
from service.judges.weights import local_judge
from tests.memory.driving import Bench
from tests.memory.stores import MemoryDeferred, MemoryOutcomes, MemoryRules, MemoryScores

IMPATIENT = PoolLimits(linger=0, patience=0)


@dataclass(slots=True)
class World:
    """The engine over in-memory ports, with what they hold within reach."""

    store: MemoryScores = field(default_factory=MemoryScores)
    rules: MemoryRules = field(default_factory=MemoryRules)
    deferred: MemoryDeferred = field(default_factory=MemoryDeferred)
    outcomes: MemoryOutcomes = field(default_factory=MemoryOutcomes)
    now: datetime = datetime(2026, 11, 2, tzinfo=UTC)

    def pool(
        self,
        *,
        store: ScoreStore | None = None,
        rules: RuleSource | None = None,
        panel: Panel | None = None,
        deferred: DeferredEvents | None = None,
        results: Sequence[Results] = (),
        limits: PoolLimits = IMPATIENT,
        retries: RetryPolicy | None = None,
        memory: TenantMemories | None = None,
    ) -> Pool:
        score = ScoreEvents(
            panel=panel or Panel(local=local_judge().judge),
            rules=rules or self.rules,
            store=store or self.store,
            outcomes=self.outcomes,
            clock=lambda: self.now,
            timer=time.monotonic,
            memory=memory,
        )
        return Pool(
            score,
            limits=limits,
            deferred=deferred or self.deferred,
            results=results,
            retries=retries,
            backoff=Backoff(first=0.001, most=0.01),
        )

    def use_case(self, **parts: Any) -> Callable[[Sequence[Record]], Awaitable[list[Outcome]]]:
        """A batch in, its outcomes out."""

        async def consume(batch: Sequence[Record]) -> list[Outcome]:
            async with self.running(**parts) as pool:
                return await asyncio.gather(*await pool.submit(batch))

        return consume

    @asynccontextmanager
    async def running(self, **parts: Any) -> AsyncGenerator[Pool]:
        """A pool at work; on leaving, what it took is finished."""
        pool = self.pool(**parts)
        worker = asyncio.create_task(pool.run())
        try:
            yield pool
        finally:
            pool.close()
            await worker


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def new_world() -> Callable[[], World]:
    return World


@pytest.fixture
def bench() -> Bench:
    bench = Bench()
    bench.room.set()
    return bench
