"""The scores that sinks have not got yet: written with the rows of their events, in the same transaction.

So a sink gets each evaluation at least once, whatever stops in between.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast
from uuid import UUID

from asyncpg import Connection
from sqlalchemy import delete, func, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.event_evaluation import Evaluation
from service.storage.database import fetch_rows, translate_errors
from service.storage.tables import EVALUATIONS, UNSENT_SCORES

_WAITING, _ROWS = UNSENT_SCORES.c, EVALUATIONS.c
_COLUMNS = ("sink", "evaluation", "occurred_at", "due", "tries", "unknown")
_READ = (
    *(_ROWS.id, _ROWS.tenant, _ROWS.agent, _ROWS.agent_version, _ROWS.source, _ROWS.event_id, _ROWS.occurred_at),
    *(_ROWS.score, _ROWS.tier, _ROWS.verdict, _ROWS.filter_status, _ROWS.p_correct, _ROWS.unscored, _ROWS.judge),
    *(_ROWS.evaluator_version, _ROWS.rules_version, _ROWS.attributes, _ROWS.record),
)
_ABANDONED = timedelta(days=7)
"""After which what waits for a sink that is no longer set is deleted."""


async def queue_scores(connection: AsyncConnection, evaluations: Sequence[Evaluation], sinks: Sequence[str]) -> None:
    """Keeps the evaluations for each sink."""
    if not evaluations or not sinks:
        return
    raw = await connection.get_raw_connection()
    driver = cast("Connection", raw.driver_connection)
    records = [(sink, each.id, each.occurred_at, each.received_at, 0, 0) for sink in sinks for each in evaluations]
    await driver.copy_records_to_table("unsent_scores", records=records, columns=_COLUMNS)  # pyright: ignore[reportUnknownMemberType] its records are untyped


class UnsentScore(NamedTuple):
    """A score that a sink is to get."""

    id: int
    evaluation: UUID
    occurred_at: datetime
    tries: int
    """How often it was taken, this time included."""
    unknown: int
    """How often the backend did not know its trace."""


@dataclass(frozen=True, slots=True)
class UnsentScores:
    """The scores that wait for one sink. All methods raise `StoreUnavailable`."""

    engine: AsyncEngine
    sink: str

    async def take(self, most: int, now: datetime, lease: timedelta) -> list[UnsentScore]:
        """Takes the oldest that are due. Who does not remove them in `lease` leaves them to the next."""
        due = select(_WAITING.id).where(_WAITING.sink == self.sink, _WAITING.due <= now)
        due = due.order_by(_WAITING.due, _WAITING.id).limit(most).with_for_update(skip_locked=True)
        taken = update(UNSENT_SCORES).where(_WAITING.id.in_(due)).values(due=now + lease, tries=_WAITING.tries + 1)
        columns = (_WAITING.id, _WAITING.evaluation, _WAITING.occurred_at, _WAITING.tries, _WAITING.unknown)
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                rows = await connection.execute(taken.returning(*columns))
                return sorted(UnsentScore(*row) for row in rows)

    async def rows(self, taken: Sequence[UnsentScore]) -> list[dict[str, Any]]:
        """The evaluations, as far as they are still stored."""
        keys = [(each.occurred_at, each.evaluation) for each in taken]
        query: Any = select(*_READ).where(tuple_(_ROWS.occurred_at, _ROWS.id).in_(keys))
        return await fetch_rows(self.engine, query) if keys else []

    async def remove(self, ids: Collection[int]) -> None:
        """Removes what was sent, or never can be."""
        await self._do(delete(UNSENT_SCORES).where(_WAITING.id.in_(ids)), ids)

    async def put_off(self, ids: Collection[int], due: datetime, *, unknown: bool) -> None:
        """Makes them wait until `due`."""
        values = {"due": due, "unknown": _WAITING.unknown + 1 if unknown else _WAITING.unknown}
        await self._do(update(UNSENT_SCORES).where(_WAITING.id.in_(ids)).values(**values), ids)

    async def waiting(self) -> int:
        """How many wait."""
        query = select(func.count().label("waiting")).select_from(UNSENT_SCORES).where(_WAITING.sink == self.sink)
        return int((await fetch_rows(self.engine, query))[0]["waiting"])

    async def _do(self, statement: Any, ids: Collection[int]) -> None:
        if not ids:
            return
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                await connection.execute(statement)


async def unsent_by_sink(engine: AsyncEngine) -> dict[str, int]:
    """How many evaluations wait for each sink, also for one that is no longer set. Raises `StoreUnavailable`."""
    query: Any = select(_WAITING.sink, func.count().label("waiting")).group_by(_WAITING.sink).order_by(_WAITING.sink)
    return {row["sink"]: row["waiting"] for row in await fetch_rows(engine, query)}


async def drop_abandoned(engine: AsyncEngine, sinks: Collection[str], now: datetime) -> None:
    """Deletes what has waited long for a sink that is no longer set. Raises `StoreUnavailable`."""
    old = delete(UNSENT_SCORES).where(_WAITING.sink.not_in(sinks), _WAITING.due < now - _ABANDONED)
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await connection.execute(old)
