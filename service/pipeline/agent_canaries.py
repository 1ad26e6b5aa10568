"""Shows how agents answer their canaries as metrics: from the latest answer to each, read every half minute."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from consumers.errors import RefusedByStore, Unavailable
from evals.canary_results import CanaryResult, by_agent
from service.background import background_task
from service.logs import log
from service.pipeline.process_parts import ProcessParts, utc_now
from service.storage.canaries.latest_canaries import CanaryScope, canary_answer, latest_canaries

WINDOW = timedelta(days=7)
"""An agent whose canaries were not asked for so long has no metrics of them."""
EVERY = 30.0
"""Seconds between two looks."""
MOST_CANARIES = 10_000
"""Canaries of all agents together that the metrics are about: those asked last."""


@asynccontextmanager
async def showing_canaries(parts: ProcessParts) -> AsyncGenerator[None]:
    """Reads and shows them while the context is open. Failures are logged."""
    async with background_task(_show(parts), "agent-canaries"):
        yield


async def _show(parts: ProcessParts) -> None:
    while True:
        try:
            rows = await latest_canaries(parts.engine, CanaryScope(since=utc_now() - WINDOW), limit=MOST_CANARIES)
            answers = [canary_answer(row) for row in rows]
            parts.metrics.canaries.show(by_agent(each for each in answers if each.result is not CanaryResult.PENDING))
        except (Unavailable, RefusedByStore) as error:
            log.warning("agent_canaries_failed", error=str(error))
        except Exception as error:
            parts.metrics.failed("agent-canaries", error)
        await asyncio.sleep(EVERY)
