"""Answers that wait for their references, and what these said, in PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from uuid import UUID

from sqlalchemy import RowMapping, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.evaluation import Evaluation
from consumers.references import AwaitingReference, ReferenceJudged
from references.verdict import NotJudged, ReferenceVerdict, not_judged, reference_record
from service.storage.database import translated
from service.storage.tables import REFERENCE_VERDICTS

_TABLE = REFERENCE_VERDICTS.c
_MOST_COUNTED = 100_000
_TAKE = text(
    """
    WITH due AS (
        SELECT event FROM reference_verdicts WHERE due <= :now ORDER BY due DESC LIMIT :limit FOR UPDATE SKIP LOCKED
    ), taken AS (
        UPDATE reference_verdicts AS mine SET due = :lease, tries = tries + 1 FROM due WHERE mine.event = due.event
        RETURNING mine.event, mine.occurred_at, mine.tries
    )
    SELECT taken.event AS digest, tries, rows.* FROM taken LEFT JOIN LATERAL (
        SELECT id, tenant, source, event_id, agent, agent_version, received_at, reference_sql, sql, dialect
        FROM evaluations WHERE event = taken.event AND occurred_at = taken.occurred_at AND current
    ) AS rows ON true
    """
)


async def keep_awaited(connection: AsyncConnection, written: Sequence[Evaluation]) -> None:
    """Keeps, in the transaction that writes the rows, that those with a reference wait to be judged by it."""
    rows = [_awaiting(each) for each in written if each.event.reference_sql is not None]
    if rows:
        await connection.execute(insert(REFERENCE_VERDICTS).values(rows).on_conflict_do_nothing())


def _awaiting(each: Evaluation) -> dict[str, object]:
    return {
        "event": each.key.digest,
        "tenant": each.event.tenant,
        "occurred_at": each.occurred_at,
        "due": each.received_at,
        "verdict": ReferenceVerdict.PENDING.value,
    }


@dataclass(frozen=True, slots=True)
class PostgresReferences:
    """An `AwaitedReferences` whose rows outlive the process."""

    engine: AsyncEngine

    async def take(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[AwaitingReference]:
        """Some that wait, newest first, for this caller alone until the lease ends; those without a row are dropped."""
        values = {"now": now, "limit": limit, "lease": now + timedelta(seconds=lease_seconds)}
        with translated(self.engine.url):
            async with self.engine.begin() as connection:
                rows = (await connection.execute(_TAKE, values)).mappings().all()
                expired = [row["digest"] for row in rows if row["id"] is None]
                if expired:
                    await connection.execute(delete(REFERENCE_VERDICTS).where(_TABLE.event.in_(expired)))
        return [_read(row) for row in rows if row["id"] is not None]

    async def conclude(self, judged: Sequence[ReferenceJudged]) -> Sequence[ReferenceJudged]:
        """Writes those that still wait: what was forgotten or expired meanwhile stays so."""
        now = datetime.now(UTC)
        with translated(self.engine.url):
            async with self.engine.begin() as connection:
                return [each for each in judged if await _conclude(connection, each, now)]

    async def waiting(self) -> int:
        """How many wait, counted up to a hundred thousand."""
        some = select(_TABLE.event).where(_TABLE.due.is_not(None)).limit(_MOST_COUNTED).subquery()
        with translated(self.engine.url):
            async with self.engine.connect() as connection:
                return await connection.scalar(select(func.count()).select_from(some)) or 0


def _read(row: RowMapping) -> AwaitingReference:
    fields = {name: value for name, value in row.items() if name not in {"digest", "id"}}
    return AwaitingReference(event=row["digest"], evaluation_id=row["id"], **cast("dict[str, Any]", fields))


async def _conclude(connection: AsyncConnection, each: ReferenceJudged, now: datetime) -> bool:
    rung = each.finding.rung
    statement = (
        update(REFERENCE_VERDICTS)
        .where(_TABLE.event == each.awaiting.event, _TABLE.due.is_not(None))
        .values(
            due=None,
            verdict=each.finding.verdict.value,
            level=rung.value if rung is not None else None,
            record=each.record,
            judged_at=now,
        )
    )
    return (await connection.execute(statement)).rowcount > 0


async def forget_references(connection: AsyncConnection, tenant: str, events: Sequence[UUID] | None) -> None:
    """Takes out what references said in words and data; verdict and level stay, and what waits is not judged.

    `events` are the digests of their keys; `None` is all of the tenant's.
    """
    whose = [_TABLE.tenant == tenant, *([_TABLE.event.in_(events)] if events is not None else [])]
    withheld = not_judged(NotJudged.TEXTS_WITHHELD)
    await connection.execute(update(REFERENCE_VERDICTS).where(*whose, _TABLE.due.is_(None)).values(record=None))
    await connection.execute(
        update(REFERENCE_VERDICTS)
        .where(*whose, _TABLE.due.is_not(None))
        .values(due=None, verdict=withheld.verdict.value, record=reference_record(withheld))
    )
