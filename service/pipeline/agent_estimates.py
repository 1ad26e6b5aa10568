"""Shows the agents' estimates as metrics: computed every few minutes over the answers of the last week."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from consumers.errors import RefusedByStore, Unavailable
from service.background import background_task
from service.logs import log
from service.pipeline.process_parts import ProcessParts, utc_now
from service.storage.scores.estimated_reports import labelled_estimates

WINDOW = timedelta(days=7)
"""The answers that the metrics are about."""
EVERY = 300.0
"""Seconds between two computations."""


@asynccontextmanager
async def showing_estimates(parts: ProcessParts) -> AsyncGenerator[None]:
    """Computes and shows them while the context is open. Failures are logged."""
    async with background_task(_show(parts), "agent-estimates"):
        yield


async def _show(parts: ProcessParts) -> None:
    while True:
        try:
            parts.metrics.estimates.show(await labelled_estimates(parts.engine, utc_now() - WINDOW))
        except (Unavailable, RefusedByStore) as error:
            log.warning("agent_estimates_failed", error=str(error))
        except Exception as error:
            parts.metrics.failed("agent-estimates", error)
        await asyncio.sleep(EVERY)
