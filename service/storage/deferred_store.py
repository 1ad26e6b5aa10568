"""Deferred events in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import RowMapping, and_, case, delete, func, select, text, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.sql.dml import ReturningInsert

from consumers.evaluation.deferrals import Deferral
from consumers.evaluation.event_evaluation import EventKey
from consumers.evaluation.outcomes import DeferredReason
from service.storage.database import translate_errors
from service.storage.tables import DEFERRED_EVENTS

_TABLE = DEFERRED_EVENTS.c
DEFERRAL_KEY = tuple_(_TABLE.tenant, _TABLE.source, _TABLE.event_id)
_LEASE_DUE = text(
    """
    WITH RECURSIVE tenants (tenant) AS (
        (SELECT tenant FROM deferred_events ORDER BY tenant LIMIT 1)
        UNION ALL
        SELECT (SELECT next.tenant FROM deferred_events AS next WHERE next.tenant > tenants.tenant ORDER BY 1 LIMIT 1)
        FROM tenants WHERE tenants.tenant IS NOT NULL
    ), lines AS (
        SELECT line.*, row_number() OVER (PARTITION BY line.tenant ORDER BY line.due) AS turn
        FROM tenants CROSS JOIN LATERAL (
            SELECT tenant, source, event_id, due FROM deferred_events AS own
            WHERE own.tenant = tenants.tenant AND own.due <= :now ORDER BY own.due LIMIT :limit
        ) AS line
    ), due AS (
        SELECT waiting.tenant, waiting.source, waiting.event_id
        FROM lines JOIN deferred_events AS waiting USING (tenant, source, event_id)
        WHERE waiting.due <= :now
        ORDER BY lines.turn, lines.due LIMIT :limit FOR UPDATE OF waiting SKIP LOCKED
    )
    UPDATE deferred_events AS taken SET due = :lease, attempts = attempts + 1
    FROM due WHERE (taken.tenant, taken.source, taken.event_id) = (due.tenant, due.source, due.event_id)
    RETURNING taken.*
    """
)


@dataclass(frozen=True, slots=True)
class PostgresDeferred:
    """A `DeferredEvents` in PostgreSQL.

    With a `clock`, times are kept by the database's clock, so that workers whose clocks differ or jump agree on what is
    due. Without one, callers' times are kept as they are.
    """

    engine: AsyncEngine
    clock: Callable[[], datetime] | None = None
    """The clock by which callers' times were taken."""

    async def defer(self, deferrals: Sequence[Deferral]) -> Collection[EventKey]:
        """Stores deferrals whose key is free or holds the same event. Returns the other keys."""
        if not deferrals:
            return []
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                kept = {EventKey(*row) for row in await connection.execute(await self._upsert(connection, deferrals))}
        return [each.key for each in deferrals if each.key not in kept]

    async def _upsert(
        self, connection: AsyncConnection, deferrals: Sequence[Deferral]
    ) -> ReturningInsert[Any, Any, Any]:
        ahead = await self._ahead(connection)
        # every transaction locks keys in this order, so that two batches with the same events cannot deadlock
        ordered = sorted(deferrals, key=lambda each: each.key)
        new = insert(DEFERRED_EVENTS).values([_row(each, ahead) for each in ordered])
        most = func.greatest(_TABLE.attempts, new.excluded.attempts)
        # a throttled event was leased but not tried
        throttled = new.excluded.reason == DeferredReason.TENANT_THROTTLED.value
        untried = and_(throttled, _TABLE.attempts == new.excluded.attempts + 1)
        return new.on_conflict_do_update(
            index_elements=["tenant", "source", "event_id"],
            set_={
                "reason": new.excluded.reason,
                "due": new.excluded.due,
                "attempts": case((untried, new.excluded.attempts), else_=most),
            },
            where=_TABLE.payload_hash == new.excluded.payload_hash,
        ).returning(_TABLE.tenant, _TABLE.source, _TABLE.event_id)

    async def _ahead(self, connection: AsyncConnection) -> timedelta:
        """How far the database's clock is ahead of the callers'."""
        if self.clock is None:
            return timedelta()
        now = (await connection.execute(select(func.clock_timestamp()))).scalar_one()
        return now - self.clock()

    async def lease_due(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[Deferral]:
        """Leases due events to this caller: tenants take turns, and the longest due goes first."""
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                now += await self._ahead(connection)
                values = {"now": now, "limit": limit, "lease": now + timedelta(seconds=lease_seconds)}
                rows = (await connection.execute(_LEASE_DUE, values)).mappings().all()
        return [_deferral(row) for row in rows]

    async def drop(self, keys: Collection[EventKey]) -> None:
        """Deletes them."""
        if keys:
            with translate_errors(self.engine.url):
                async with self.engine.begin() as connection:
                    await connection.execute(
                        delete(DEFERRED_EVENTS).where(DEFERRAL_KEY.in_([tuple(key) for key in keys]))
                    )

    async def waiting(self) -> int:
        """How many events are deferred."""
        with translate_errors(self.engine.url):
            async with self.engine.connect() as connection:
                return await connection.scalar(select(func.count()).select_from(DEFERRED_EVENTS)) or 0


def _deferral(row: RowMapping) -> Deferral:
    known = row["reason"] in set(DeferredReason)
    # a newer release may have deferred it for a reason that this one does not know
    reason = DeferredReason(row["reason"]) if known else DeferredReason.INTERNAL_ERROR
    fields: dict[str, Any] = {**cast("dict[str, Any]", dict(row)), "reason": reason}
    return Deferral(**fields)


def _row(each: Deferral, ahead: timedelta) -> dict[str, object]:
    return {
        "tenant": each.tenant,
        "source": each.source,
        "event_id": each.event_id,
        "payload": each.payload,
        "payload_hash": each.payload_hash,
        "timestamp": each.timestamp,
        "reason": each.reason.value,
        "due": each.due + ahead,
        "attempts": each.attempts,
    }
