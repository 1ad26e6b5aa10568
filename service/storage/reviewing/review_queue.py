"""Hands the drawn answers to reviewers, each to one at a time, and gives their probabilities to the labels."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ARRAY, Text, bindparam, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from service.storage.database import translate_errors
from service.storage.reviewing.review_draws import REDRAW_AFTER, WINDOW, draw, has_undrawn

LEASE = timedelta(minutes=30)
"""How long an answer stays with a reviewer who does not label it."""
_OPEN = "labelled_at IS NULL AND occurred_at >= :since"
_CURRENT = """
    JOIN event_keys AS keys USING (tenant, source, event_id)
    JOIN evaluations AS rows ON rows.id = keys.evaluation_id AND rows.occurred_at = keys.occurred_at
"""
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('review ' || :tenant, 0))")
_LAST_DRAW = text("SELECT max(drawn_at) FROM review_draws WHERE tenant = :tenant")
_GONE = text(
    f"""
    DELETE FROM review_items WHERE tenant = :tenant AND {_OPEN} AND NOT EXISTS (
        SELECT FROM event_keys AS keys
        JOIN evaluations AS rows ON rows.id = keys.evaluation_id AND rows.occurred_at = keys.occurred_at
        WHERE (keys.tenant, keys.source, keys.event_id)
            = (review_items.tenant, review_items.source, review_items.event_id) AND NOT rows.withheld
    )
    """  # noqa: S608 constants
)
_AVAILABLE = text(
    f"""
    WITH counted AS (
        SELECT agent, count(*) FILTER (WHERE labelled_at IS NOT NULL OR leased_until >= :now) AS handed
        FROM review_items WHERE tenant = :tenant AND occurred_at >= :since GROUP BY agent
    ), line AS (
        SELECT source, event_id, agent, row_number() OVER (
            PARTITION BY agent ORDER BY CASE WHEN :again THEN skipped_at END NULLS FIRST, place, source, event_id
        ) AS ahead
        FROM review_items WHERE tenant = :tenant AND {_OPEN} AND (leased_until IS NULL OR leased_until < :now)
          AND (CAST(:agent AS text) IS NULL OR agent = :agent) AND (:again OR NOT :reviewer = ANY (skipped_by))
          AND (CAST(:agent_version AS text) IS NULL OR EXISTS (
              SELECT FROM event_keys AS keys
              JOIN evaluations AS rows ON rows.id = keys.evaluation_id AND rows.occurred_at = keys.occurred_at
              WHERE (keys.tenant, keys.source, keys.event_id)
                  = (review_items.tenant, review_items.source, review_items.event_id)
                  AND rows.agent_version = :agent_version))
    )
    SELECT source, event_id, EXISTS (
        SELECT FROM labels WHERE (labels.tenant, labels.source, labels.event_id) = (:tenant, line.source, line.event_id)
          AND labels.label <> 'unsure'
    ) AS labelled
    FROM line JOIN counted USING (agent) JOIN review_draws AS draws USING (agent) WHERE draws.tenant = :tenant
    ORDER BY draws.spread / sqrt(counted.handed + ahead) DESC, line.agent, ahead LIMIT :most
    """  # noqa: S608 constants
)
_LEASE = text(
    """
    UPDATE review_items SET reviewer = :reviewer, leased_until = :until
    WHERE tenant = :tenant AND source = :source AND event_id = :event_id
    """
)
_LABELLED_ALREADY = text(
    """
    UPDATE review_items SET (reviewer, labelled_at) = (
        SELECT labels.reviewer, labels.labelled_at FROM labels
        WHERE labels.tenant = :tenant AND labels.source = :source AND labels.event_id = :event_id
          AND labels.label <> 'unsure' ORDER BY labels.labelled_at, labels.reviewer LIMIT 1
    ) WHERE tenant = :tenant AND source = :source AND event_id = :event_id
    """
)
_COPY = text(
    """
    UPDATE labels SET sampling_probability = items.sampling_probability FROM review_items AS items
    WHERE items.tenant = :tenant AND items.source = :source AND items.event_id = :event_id
      AND (labels.tenant, labels.source, labels.event_id, labels.reviewer)
        = (items.tenant, items.source, items.event_id, items.reviewer)
    """
)
_MINE = text(
    f"""
    SELECT rows.id AS evaluation_id, rows.tenant, rows.source, rows.event_id, rows.agent, rows.agent_version,
        rows.occurred_at, rows.question, rows.enriched_question, rows.sql, rows.dialect,
        items.sampling_probability, items.leased_until
    FROM review_items AS items {_CURRENT}
    WHERE items.tenant = :tenant AND items.reviewer = :reviewer
      AND items.labelled_at IS NULL AND items.leased_until >= :now
      AND (CAST(:agent AS text) IS NULL OR items.agent = :agent)
      AND (CAST(:agent_version AS text) IS NULL OR rows.agent_version = :agent_version)
    ORDER BY items.leased_until, items.place LIMIT :limit
    """  # noqa: S608 constants
)
_END = text(
    """
    UPDATE review_items AS items SET labelled_at = labels.labelled_at, leased_until = NULL
    FROM unnest(:tenants, :sources, :events, :reviewers) AS given (tenant, source, event_id, reviewer)
    JOIN labels USING (tenant, source, event_id, reviewer)
    WHERE (items.tenant, items.source, items.event_id, items.reviewer)
        = (given.tenant, given.source, given.event_id, given.reviewer)
    """
).bindparams(*(bindparam(name, type_=ARRAY(Text)) for name in ("tenants", "sources", "events", "reviewers")))
_COPY_ALL = text(
    """
    UPDATE labels SET sampling_probability = items.sampling_probability
    FROM unnest(:tenants, :sources, :events, :reviewers) AS given (tenant, source, event_id, reviewer)
    JOIN review_items AS items USING (tenant, source, event_id, reviewer)
    WHERE (labels.tenant, labels.source, labels.event_id, labels.reviewer)
        = (given.tenant, given.source, given.event_id, given.reviewer) AND items.labelled_at IS NOT NULL
    """
).bindparams(*(bindparam(name, type_=ARRAY(Text)) for name in ("tenants", "sources", "events", "reviewers")))


async def next_answers(
    engine: AsyncEngine,
    tenant: str,
    reviewer: str,
    *,
    now: datetime,
    limit: int,
    agent: str | None = None,
    agent_version: str | None = None,
) -> list[dict[str, Any]]:
    """Up to `limit` answers for this reviewer alone until their leases end: first those that the reviewer has already.

    Answers of one version are handed out of the agent's sample, with the probabilities that they were drawn with.
    Raises `StoreUnavailable`.
    """
    asked = {"tenant": tenant, "reviewer": reviewer, "now": now, "limit": limit}
    asked |= {"agent": agent, "agent_version": agent_version}
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            # one reviewer of a tenant at a time: who waits sees what the other has got
            await connection.execute(_LOCK, {"tenant": tenant})
            await _draw_if_due(connection, tenant, now)
            held = len((await connection.execute(_MINE, asked)).all())
            missing = limit - held - await _hand_out(connection, asked, limit - held)
            while missing == limit and await _grow(connection, asked):
                missing -= await _hand_out(connection, asked, limit)
                if agent is None:
                    break
            if missing == limit:
                # nothing else is left: what this reviewer skipped, the longest ago first
                await _hand_out(connection, asked, limit, again=True)
            return [dict(row) for row in (await connection.execute(_MINE, asked)).mappings()]


async def _draw_if_due(connection: AsyncConnection, tenant: str, now: datetime) -> None:
    last = await connection.scalar(_LAST_DRAW, {"tenant": tenant})
    if last is None or now - last >= REDRAW_AFTER:
        await connection.execute(_GONE, {"tenant": tenant, "since": now - WINDOW})
        await draw(connection, tenant, now, grow=False)


async def _grow(connection: AsyncConnection, asked: dict[str, Any]) -> bool:
    """Doubles the samples, unless no answer could be added for the agent; returns whether it did."""
    tenant, agent, now = asked["tenant"], asked["agent"], asked["now"]
    if agent is not None and not await has_undrawn(connection, tenant, agent, asked["agent_version"], now):
        return False
    return await draw(connection, tenant, now, grow=True)


async def _hand_out(connection: AsyncConnection, asked: dict[str, Any], most: int, *, again: bool = False) -> int:
    """Leases up to `most` answers, and returns how many. Those labelled already only give a label its probability.

    `again` hands out what this reviewer skipped, too.
    """
    handed = 0
    asked_now = {name: asked[name] for name in ("tenant", "now", "agent", "agent_version", "reviewer")}
    asked_now |= {"since": asked["now"] - WINDOW, "again": again}
    while handed < most:
        found = (await connection.execute(_AVAILABLE, asked_now | {"most": most - handed})).all()
        if not found:
            break
        for each in found:
            key = {"tenant": asked["tenant"], "source": each.source, "event_id": each.event_id}
            if each.labelled:
                await connection.execute(_LABELLED_ALREADY, key)
                await connection.execute(_COPY, key)
                continue
            lease = {"reviewer": asked["reviewer"], "until": asked["now"] + LEASE}
            await connection.execute(_LEASE, key | lease)
            handed += 1
    return handed


async def lock_reviews(connection: AsyncConnection, tenants: Collection[str]) -> None:
    """Waits until nobody else hands out or labels answers of these tenants, so that writers cannot deadlock."""
    for tenant in sorted(tenants):
        await connection.execute(_LOCK, {"tenant": tenant})


async def end_leases(connection: AsyncConnection, labels: Sequence[tuple[object, ...]]) -> None:
    """Ends the leases of those who labelled what they were handed, and gives these labels their probabilities.

    `labels` are their primary keys; they are written already.
    """
    tenants, sources, events, reviewers = (list(each) for each in zip(*labels, strict=True))
    keys = {"tenants": tenants, "sources": sources, "events": events, "reviewers": reviewers}
    await connection.execute(_END, keys)
    await connection.execute(_COPY_ALL, keys)
