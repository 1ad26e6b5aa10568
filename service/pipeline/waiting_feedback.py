"""Attaches feedback that arrived before its answer, every few seconds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from consumers.errors import RefusedByStore, Unavailable
from service.background import background_task
from service.logs import log
from service.pipeline.process_parts import ProcessParts, utc_now
from service.storage.feedback.feedback_store import PostgresFeedback

_EVERY = 10.0
"""Seconds between two looks."""


@asynccontextmanager
async def attaching_feedback(parts: ProcessParts, every: float = _EVERY) -> AsyncGenerator[None]:
    """Attaches while the context is open. Failures are logged, and the next look tries again."""
    async with background_task(_attach(parts, every), "attach-feedback"):
        yield


async def _attach(parts: ProcessParts, every: float) -> None:
    store = PostgresFeedback(parts.engine)
    while True:
        try:
            await store.attach_waiting(utc_now())
        except (Unavailable, RefusedByStore) as error:
            log.warning("attach_feedback_failed", error=str(error))
        except Exception as error:
            parts.metrics.failed("attach-feedback", error)
        await asyncio.sleep(every)
