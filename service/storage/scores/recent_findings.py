"""What is found most among each agent's newest answers: reasons, and what became of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, Text, column, func, lateral, literal, select, true
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import fetch_rows
from service.storage.sums.reading import AnswerScope
from service.storage.tables import EVALUATIONS

MOST_ANSWERS = 100
"""Newest answers of an agent that are looked at, so that a page takes the same time however many there are."""
_ROWS = EVALUATIONS.c


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentFindings:
    """Counts over the newest answers of an agent."""

    answers: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    """Answers that each reason code is given for, or that have no score for it."""
    enrichments: Counter[str] = field(default_factory=Counter[str])
    """Answers of each enrichment status."""


async def recent_findings(
    engine: AsyncEngine, wanted: AnswerScope, agents: Collection[tuple[str, str]], *, most: int = MOST_ANSWERS
) -> Mapping[tuple[str, str], RecentFindings]:
    """What is found among the newest answers of each tenant's agent. Raises `StoreUnavailable`."""
    if not agents:
        return {}
    given = (
        func.unnest(
            literal([tenant for tenant, _ in agents], ARRAY(Text)), literal([agent for _, agent in agents], ARRAY(Text))
        )
        .table_valued(column("tenant", Text), column("agent", Text), name="given")
        .render_derived()
    )
    conditions: list[ColumnElement[bool]] = [
        _ROWS.current,
        _ROWS.tenant == given.c.tenant,
        _ROWS.agent == given.c.agent,
    ]
    if wanted.agent_version is not None:
        conditions.append(_ROWS.agent_version == wanted.agent_version)
    if wanted.since is not None:
        conditions.append(_ROWS.occurred_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_ROWS.occurred_at < wanted.until)
    newest = lateral(
        select(_ROWS.reason_codes, _ROWS.enrichment_status)
        .where(*conditions)
        .order_by(_ROWS.occurred_at.desc())
        .limit(most)
    )
    columns: list[ColumnElement[Any]] = [
        given.c.tenant,
        given.c.agent,
        newest.c.reason_codes,
        newest.c.enrichment_status,
    ]
    rows = await fetch_rows(engine, select(*columns).select_from(given.join(newest, true())))
    return _counted(rows)


def _counted(rows: Collection[Mapping[str, Any]]) -> dict[tuple[str, str], RecentFindings]:
    found: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["tenant"], row["agent"]), []).append(row)
    return {
        who: RecentFindings(
            answers=len(theirs),
            reasons=Counter(code for row in theirs for code in set(row["reason_codes"])),
            enrichments=Counter(row["enrichment_status"] for row in theirs if row["enrichment_status"]),
        )
        for who, theirs in found.items()
    }
