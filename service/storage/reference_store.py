"""Reference verdicts in PostgreSQL, and the answers that wait for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from uuid import UUID

from sqlalchemy import RowMapping, delete, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from consumers.evaluation.event_evaluation import Evaluation
from consumers.references import AwaitingReference, ReferenceJudged
from references.reference_verdict import NotJudged, ReferenceVerdict, not_judged, reference_record
from service.storage.database import translate_errors
from service.storage.tables import REFERENCE_VERDICTS
from service.storage.waiting_verdicts import count_waiting, write_verdicts

_TABLE = REFERENCE_VERDICTS.c
_LEASE_DUE = text(
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


async def await_references(connection: AsyncConnection, evaluations: Sequence[Evaluation]) -> None:
    """Queues the evaluations that have a reference, in the transaction that writes them."""
    rows = [_awaiting(each) for each in evaluations if each.event.reference_sql is not None]
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
    """An `AwaitedReferences` in PostgreSQL."""

    engine: AsyncEngine

    async def lease(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[AwaitingReference]:
        """Leases waiting answers to this caller, newest first. Answers whose row is gone are deleted."""
        values = {"now": now, "limit": limit, "lease": now + timedelta(seconds=lease_seconds)}
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                rows = (await connection.execute(_LEASE_DUE, values)).mappings().all()
                expired = [row["digest"] for row in rows if row["id"] is None]
                if expired:
                    await connection.execute(delete(REFERENCE_VERDICTS).where(_TABLE.event.in_(expired)))
        return [_read(row) for row in rows if row["id"] is not None]

    async def write_verdicts(self, judged: Sequence[ReferenceJudged]) -> Sequence[ReferenceJudged]:
        """Writes the verdicts of answers that still wait; those forgotten or expired meanwhile stay as they are."""
        return await write_verdicts(self.engine, REFERENCE_VERDICTS, judged)

    async def waiting(self) -> int:
        """How many answers wait, counted up to a hundred thousand."""
        return await count_waiting(self.engine, REFERENCE_VERDICTS)


def _read(row: RowMapping) -> AwaitingReference:
    fields = {name: value for name, value in row.items() if name not in {"digest", "id"}}
    return AwaitingReference(event=row["digest"], evaluation_id=row["id"], **cast("dict[str, Any]", fields))


async def forget_references(connection: AsyncConnection, tenant: str, events: Sequence[UUID] | None) -> None:
    """Deletes the texts and data of reference verdicts, keeping verdict and level. Waiting answers are not judged.

    `events` are digests of event keys; `None` means every event of the tenant.
    """
    whose = [_TABLE.tenant == tenant, *([_TABLE.event.in_(events)] if events is not None else [])]
    withheld = not_judged(NotJudged.TEXTS_WITHHELD)
    await connection.execute(update(REFERENCE_VERDICTS).where(*whose, _TABLE.due.is_(None)).values(record=None))
    await connection.execute(
        update(REFERENCE_VERDICTS)
        .where(*whose, _TABLE.due.is_not(None))
        .values(due=None, verdict=withheld.verdict.value, record=reference_record(withheld))
    )
