"""Reads the latest answer to each canary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.canary_results import CanaryAnswer
from service.storage.database import translate_errors

_LATEST = text(
    """
    SELECT * FROM (
        SELECT DISTINCT ON (tenant, agent, case_id)
            tenant, agent, agent_version, case_id, source, event_id, occurred_at AS asked_at, received_at, question,
            sql, dialect, reference_sql, failure, verdict, level, record AS reference, judged_at,
            max(received_at) OVER (PARTITION BY tenant, agent, case_id) AS last_received_at
        FROM canary_answers
        WHERE received_at >= :since AND (CAST(:tenant AS text) IS NULL OR tenant = :tenant)
            AND (CAST(:agent AS text) IS NULL OR agent = :agent)
        ORDER BY tenant, agent, case_id, (verdict IS NOT DISTINCT FROM 'pending'), received_at DESC, event
    ) AS latest
    ORDER BY last_received_at DESC, tenant, agent, case_id LIMIT :limit
    """
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryScope:
    """Which canaries to read; a field left out restricts nothing."""

    since: datetime
    tenant: str | None = None
    agent: str | None = None


async def latest_canaries(engine: AsyncEngine, wanted: CanaryScope, *, limit: int) -> list[dict[str, Any]]:
    """The latest compared answer to each canary, or its latest one while none is compared; last asked first.

    Raises `StoreUnavailable`.
    """
    values = {"since": wanted.since, "tenant": wanted.tenant, "agent": wanted.agent, "limit": limit}
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            rows = (await connection.execute(_LATEST, values)).mappings().all()
    found = [{str(name): value for name, value in row.items()} for row in rows]
    return [row | {"result": canary_answer(row).result.value} for row in found]


def canary_answer(row: Mapping[str, Any]) -> CanaryAnswer:
    """A row as an answer to a canary."""
    reference: Mapping[str, Any] = row["reference"] or {}
    return CanaryAnswer(
        tenant=row["tenant"],
        agent=row["agent"],
        received_at=row["received_at"],
        failure=row["failure"],
        verdict=row["verdict"],
        level=row["level"],
        reason=reference.get("reason"),
    )
