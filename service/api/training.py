"""Labels as `learn calibrate` and `eval judge` read them: one JSON line for each answer."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import orjson
from fastapi.responses import StreamingResponse
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.reviewing.training_labels import TrainingFilter, training_lines

NDJSON = "application/x-ndjson"


async def training_reply(engine: AsyncEngine, wanted: TrainingFilter) -> StreamingResponse:
    """The lines as they are read. An error before the first batch is an error reply, a later one ends the reply early.

    Raises `StoreUnavailable`.
    """
    batches = training_lines(engine, wanted)
    none: list[dict[str, Any]] = []
    first = await anext(batches, none)
    return StreamingResponse(_lines(first, batches), media_type=NDJSON)


async def _lines(first: list[dict[str, Any]], batches: AsyncGenerator[list[dict[str, Any]]]) -> AsyncGenerator[bytes]:
    yield _encoded(first)
    async for batch in batches:
        yield _encoded(batch)


def _encoded(batch: list[dict[str, Any]]) -> bytes:
    return b"".join(
        orjson.dumps(line, default=str, option=orjson.OPT_UTC_Z | orjson.OPT_APPEND_NEWLINE) for line in batch
    )
