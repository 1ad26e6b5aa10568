"""Keeps each tenant's remembered answers within their bounds: the oldest go first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ARRAY, Text, Uuid, bindparam, text
from sqlalchemy.ext.asyncio import AsyncEngine

_BATCH = 2_000
"""Rows deleted in one transaction."""
# rows that another process deletes at the same moment are skipped, so no two processes wait for each other
_DELETE = text(
    "DELETE FROM remembered_answers WHERE event = ANY(ARRAY("
    "SELECT event FROM remembered_answers WHERE event = ANY(:events) FOR UPDATE SKIP LOCKED))"
).bindparams(bindparam("events", type_=ARRAY(Uuid)))
_OLDEST = text(
    f"""
    SELECT event FROM (
        SELECT event, row_number() OVER newest AS place, sum(size) OVER newest AS bytes
        FROM remembered_answers WHERE tenant = ANY(:tenants)
        WINDOW newest AS (PARTITION BY tenant ORDER BY remembered_at DESC, event DESC)
    ) AS ranked WHERE place > :answers OR bytes > :bytes LIMIT {_BATCH}
    """  # noqa: S608 constant number
).bindparams(bindparam("tenants", type_=ARRAY(Text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBounds:
    """The most that is remembered of one tenant."""

    answers: int
    bytes: int


async def delete_answers(engine: AsyncEngine, events: Sequence[UUID]) -> int:
    """Deletes the remembered answers of these events; returns how many."""
    if not events:
        return 0
    async with engine.begin() as connection:
        return (await connection.execute(_DELETE, {"events": list(events)})).rowcount


async def keep_within(engine: AsyncEngine, tenants: Collection[str], bounds: MemoryBounds) -> int:
    """Deletes the oldest answers of these tenants above their bounds; returns how many."""
    values = {"tenants": list(tenants), "answers": bounds.answers, "bytes": bounds.bytes}
    deleted = 0
    while True:
        async with engine.connect() as connection:
            oldest = list(await connection.scalars(_OLDEST, values))
        count = await delete_answers(engine, oldest)
        deleted += count
        if len(oldest) < _BATCH or not count:
            return deleted
