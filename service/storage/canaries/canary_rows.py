"""The table `canary_answers`: what agents answered to canaries, until their references are compared and afterwards.

No other table holds anything of a canary, so sums, lists, alarms, memory, labels and backfills cannot see one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import RowMapping, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.evaluation.event_evaluation import Evaluation
from consumers.references import AwaitingReference, ReferenceJudged
from references.reference_verdict import ReferenceVerdict
from service.storage.database import translate_errors
from service.storage.tables import CANARY_ANSWERS
from service.storage.waiting_verdicts import count_waiting, write_verdicts

_LEASE_DUE = text(
    """
    WITH waiting AS (
        SELECT event FROM canary_answers WHERE due <= :now ORDER BY due DESC LIMIT :limit FOR UPDATE SKIP LOCKED
    )
    UPDATE canary_answers AS mine SET due = :lease, tries = tries + 1 FROM waiting WHERE mine.event = waiting.event
    RETURNING mine.event, mine.id AS evaluation_id, mine.tenant, mine.source, mine.event_id, mine.agent,
        mine.agent_version, mine.received_at, mine.reference_sql, mine.sql, mine.dialect, mine.tries
    """
)


async def write_canaries(engine: AsyncEngine, evaluations: Sequence[Evaluation]) -> None:
    """Writes canaries that have a reference or failed; an event that is sent again changes nothing.

    An agent that reports its own answer to a canary knows no reference: nothing is kept of that.
    """
    # in one order, so that two batches with the same events cannot deadlock
    ordered = sorted((each for each in evaluations if each.event.canary is not None), key=lambda each: each.key)
    rows = [row for each in ordered if (row := _row(each)) is not None]
    if not rows:
        return
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            await connection.execute(insert(CANARY_ANSWERS).values(rows).on_conflict_do_nothing())


def _row(each: Evaluation) -> dict[str, object] | None:
    event = each.event
    canary = event.canary
    if canary is None:
        return None
    compared = event.reference_sql is not None and canary.failure is None
    if not compared and canary.failure is None:
        return None
    return {
        "event": each.key.digest,
        "id": each.id,
        "tenant": event.tenant,
        "source": event.source,
        "event_id": event.event_id,
        "agent": event.agent,
        "agent_version": event.agent_version,
        "case_id": canary.case_id,
        "occurred_at": each.occurred_at,
        "received_at": each.received_at,
        "question": "" if each.withheld else event.question,
        "sql": "" if each.withheld else event.sql,
        "dialect": event.dialect,
        "reference_sql": None if each.withheld else event.reference_sql,
        "failure": canary.failure.value if canary.failure is not None else None,
        "due": each.received_at if compared else None,
        "verdict": ReferenceVerdict.PENDING.value if compared else None,
    }


@dataclass(frozen=True, slots=True)
class PostgresCanaries:
    """The canaries' `AwaitedReferences` in PostgreSQL."""

    engine: AsyncEngine

    async def lease(self, now: datetime, limit: int, lease_seconds: float) -> Sequence[AwaitingReference]:
        """Leases waiting answers to this caller, newest first."""
        values = {"now": now, "limit": limit, "lease": now + timedelta(seconds=lease_seconds)}
        with translate_errors(self.engine.url):
            async with self.engine.begin() as connection:
                rows = (await connection.execute(_LEASE_DUE, values)).mappings().all()
        return [_awaiting(row) for row in rows]

    async def write_verdicts(self, judged: Sequence[ReferenceJudged]) -> Sequence[ReferenceJudged]:
        """Writes the verdicts of answers that still wait; those forgotten or expired meanwhile stay gone."""
        return await write_verdicts(self.engine, CANARY_ANSWERS, judged)

    async def waiting(self) -> int:
        """How many answers wait, counted up to a hundred thousand."""
        return await count_waiting(self.engine, CANARY_ANSWERS)


def _awaiting(row: RowMapping) -> AwaitingReference:
    return AwaitingReference(**cast("dict[str, Any]", dict(row)))
