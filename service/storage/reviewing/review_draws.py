"""Draws answers of a tenant's agents for labelling, and stores with which probability each was drawn."""

from __future__ import annotations

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from learning.review_draw import Unlabelled, numbers_of, probability, rate_for, share_of
from references.reference_verdict import ReferenceVerdict
from service.storage.tables import REVIEW_DRAWS, REVIEW_ITEMS

WINDOW = timedelta(days=30)
"""Answers of this time are drawn, by event time."""
FRAME = 1_000
"""Most answers of an agent among which is drawn: the latest."""
MOST_AGENTS = 100
FIRST_SAMPLE = 30
"""Answers of an agent that are expected in its first sample; each further sample is twice as large."""
REDRAW_AFTER = timedelta(minutes=10)
"""How often answers that came in since the last draw are drawn too."""

_FRAME = text(
    f"""
    WITH RECURSIVE agents (agent, place) AS (
        (SELECT agent, 1 FROM evaluations
         WHERE tenant = :tenant AND occurred_at >= :since AND occurred_at < :until ORDER BY agent LIMIT 1)
        UNION ALL
        SELECT later.agent, agents.place + 1 FROM agents CROSS JOIN LATERAL (
            SELECT agent FROM evaluations
            WHERE tenant = :tenant AND agent > agents.agent AND occurred_at >= :since AND occurred_at < :until
            ORDER BY agent LIMIT 1
        ) AS later WHERE agents.place < {MOST_AGENTS}
    )
    SELECT answer.*, judges.least, judges.most, reference.verdict AS reference
    FROM agents CROSS JOIN LATERAL (
        SELECT event, occurred_at, tenant, source, event_id, agent, p_alone, p_correct FROM evaluations
        WHERE tenant = :tenant AND agent = agents.agent AND occurred_at >= :since AND occurred_at < :until
          AND current AND p_correct IS NOT NULL AND NOT withheld
        ORDER BY occurred_at DESC LIMIT {FRAME}
    ) AS answer
    CROSS JOIN LATERAL (
        SELECT min(p_correct) AS least, max(p_correct) AS most FROM evaluations
        WHERE event = answer.event AND occurred_at = answer.occurred_at
    ) AS judges
    LEFT JOIN reference_verdicts AS reference ON reference.event = answer.event
    """  # noqa: S608 constant numbers
)
_UNDRAWN = text(
    f"""
    SELECT EXISTS (
        SELECT FROM (
            SELECT tenant, source, event_id, agent_version FROM evaluations
            WHERE tenant = :tenant AND agent = :agent AND occurred_at >= :since AND occurred_at < :until
              AND current AND p_correct IS NOT NULL AND NOT withheld
            ORDER BY occurred_at DESC LIMIT {FRAME}
        ) AS latest
        WHERE (CAST(:agent_version AS text) IS NULL OR agent_version = :agent_version) AND NOT EXISTS (
            SELECT FROM review_items AS items
            WHERE (items.tenant, items.source, items.event_id) = (latest.tenant, latest.source, latest.event_id)
        )
    )
    """  # noqa: S608 constant numbers
)
_RAISE_ITEMS = text(
    """
    UPDATE review_items SET sampling_probability = least(1, CAST(:rate AS double precision) * share)
    WHERE tenant = :tenant AND agent = :agent AND occurred_at >= :first
      AND sampling_probability < least(1, CAST(:rate AS double precision) * share)
    """
)
_RAISE_LABELS = text(
    """
    UPDATE labels SET sampling_probability = items.sampling_probability FROM review_items AS items
    WHERE items.tenant = :tenant AND items.agent = :agent AND items.labelled_at IS NOT NULL
      AND (labels.tenant, labels.source, labels.event_id, labels.reviewer)
        = (items.tenant, items.source, items.event_id, items.reviewer)
      AND labels.sampling_probability < items.sampling_probability
    """
)
_AGREES: Mapping[str, bool] = {
    ReferenceVerdict.DIFFERENT: False,
    ReferenceVerdict.EQUIVALENT: True,
    ReferenceVerdict.ERROR: False,
}


@dataclass(frozen=True, slots=True)
class _Drawing:
    """With what an agent's answers are drawn."""

    secret: bytes
    wanted: int


async def draw(connection: AsyncConnection, tenant: str, now: datetime, *, grow: bool) -> bool:
    """Draws among the latest answers of each agent, twice as many as before if `grow` is set.

    Returns whether it could: samples that hold all of these answers do not grow. The caller holds the tenant's lock.
    """
    known = await _known(connection, tenant)
    if grow and known and min(each.wanted for each in known.values()) >= FRAME:
        return False
    values = {"tenant": tenant, "since": now - WINDOW, "until": now}
    by_agent: dict[str, list[Mapping[str, Any]]] = {}
    for row in (await connection.execute(_FRAME, values)).mappings():
        by_agent.setdefault(row["agent"], []).append(dict(row))
    for agent, rows in by_agent.items():
        drawing = known.get(agent) or _Drawing(secrets.token_bytes(32), 0)
        wanted = max(FIRST_SAMPLE, min(drawing.wanted * (2 if grow else 1), FRAME))
        await _draw_agent(connection, tenant, agent, rows, _Drawing(drawing.secret, wanted), now)
    return True


async def has_undrawn(
    connection: AsyncConnection, tenant: str, agent: str, agent_version: str | None, now: datetime
) -> bool:
    """Whether some of the agent's latest answers, or of one version's among them, are not in the sample yet."""
    values = {"tenant": tenant, "agent": agent, "agent_version": agent_version, "since": now - WINDOW, "until": now}
    return bool(await connection.scalar(_UNDRAWN, values))


async def _known(connection: AsyncConnection, tenant: str) -> dict[str, _Drawing]:
    table = REVIEW_DRAWS.c
    rows = await connection.execute(REVIEW_DRAWS.select().where(table.tenant == tenant))
    return {row.agent: _Drawing(row.secret, row.wanted) for row in rows}


async def _draw_agent(
    connection: AsyncConnection,
    tenant: str,
    agent: str,
    rows: Sequence[Mapping[str, Any]],
    drawing: _Drawing,
    now: datetime,
) -> None:
    shares = [share_of(_unlabelled(row)) for row in rows]
    rate = rate_for(shares, drawing.wanted)
    items: list[dict[str, Any]] = []
    for row, share in zip(rows, shares, strict=True):
        number, place = numbers_of(drawing.secret, row["event"])
        if number < probability(share, rate):
            kept = {name: row[name] for name in ("tenant", "source", "event_id", "agent", "occurred_at")}
            drawn = {"share": share, "sampling_probability": probability(share, rate), "place": place}
            items.append(kept | drawn | {"drawn_at": now})
    # items of earlier draws took part in this one with the share that they were drawn with
    raised = {"tenant": tenant, "agent": agent, "first": min(row["occurred_at"] for row in rows)}
    raised["rate"] = rate if math.isfinite(rate) else 1e9
    await connection.execute(_RAISE_ITEMS, raised)
    if items:
        await connection.execute(insert(REVIEW_ITEMS).on_conflict_do_nothing(), items)
    await connection.execute(_RAISE_LABELS, {"tenant": tenant, "agent": agent})
    mean = sum(row["p_correct"] for row in rows) / len(rows)
    state: dict[str, Any] = {"secret": drawing.secret, "wanted": drawing.wanted, "drawn_at": now}
    state["spread"] = math.sqrt(max(0.05, mean * (1 - mean)))
    upsert = insert(REVIEW_DRAWS).values(tenant=tenant, agent=agent, **state)
    changed = {name: upsert.excluded[name] for name in ("wanted", "drawn_at", "spread")}
    await connection.execute(upsert.on_conflict_do_update(index_elements=["tenant", "agent"], set_=changed))


def _unlabelled(row: Mapping[str, Any]) -> Unlabelled:
    p_correct = row["p_correct"]
    return Unlabelled(
        p_alone=p_correct if row["p_alone"] is None else row["p_alone"],
        p_correct=p_correct,
        least=p_correct if row["least"] is None else row["least"],
        most=p_correct if row["most"] is None else row["most"],
        reference=_AGREES.get(row["reference"] or ""),
    )
