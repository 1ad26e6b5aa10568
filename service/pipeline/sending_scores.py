"""Sends stored scores to the sinks of the settings, each by a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from consumers.errors import RefusedByStore, Unavailable
from service.background import background_task
from service.logs import log
from service.pipeline.process_parts import ProcessParts, utc_now
from service.sinks.configured_sinks import configured_sinks
from service.sinks.sink_client import sink_client
from service.sinks.write_scores import WriteScores
from service.storage.unsent_scores import UnsentScores, drop_abandoned


@asynccontextmanager
async def sending_scores(parts: ProcessParts) -> AsyncGenerator[None]:
    """Sends while the context is open. What is not sent then stays for the next process. Raises `StoreUnavailable`."""
    settings = parts.settings.sinks
    sinks = configured_sinks(settings)
    await drop_abandoned(parts.engine, [*sinks], utc_now())
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(sink_client(settings.timeout))
        for name, backend in sinks.items():
            unsent = UnsentScores(parts.engine, name)
            write = WriteScores(name, backend, unsent, client, parts.metrics.sinks, utc_now, settings.batch)
            await stack.enter_async_context(background_task(_send(parts, write, settings.every), f"sink-{name}"))
        yield


async def _send(parts: ProcessParts, write: WriteScores, every: float) -> None:
    while True:
        pause: float | None = None
        try:
            pause = await write()
        except (Unavailable, RefusedByStore) as error:
            parts.metrics.sinks.failed(write.sink)
            log.warning("sink_scores_unread", sink=write.sink, error=str(error))
        except Exception as error:
            parts.metrics.sinks.failed(write.sink)
            parts.metrics.failed("sinks", error)
        await asyncio.sleep(every if pause is None else pause)
