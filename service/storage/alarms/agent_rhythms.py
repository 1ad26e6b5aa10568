"""Reads when agents answered: in each hour of the last weeks, and last."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.alarms.rhythm import FORGOTTEN_HOURS, HISTORY_HOURS
from service.storage.database import translate_errors

Agent = tuple[str, str]
"""The tenant and the agent."""
_HOURS = text(
    """
    SELECT tenant, agent, array_agg(hour) AS hours, array_agg(answers) AS answers FROM (
        SELECT tenant, agent, CAST(extract(epoch FROM start) / 3600 AS bigint) AS hour,
            CAST(sum(received) AS bigint) AS answers
        FROM answer_sums WHERE span = 'hour' AND start >= :since AND start <= :now
        GROUP BY tenant, agent, start HAVING sum(received) > 0
    ) AS by_hour
    GROUP BY tenant, agent
    """
)
# the index by agent and time gives each at once
_LATEST = text(
    """
    SELECT wanted.tenant, wanted.agent, (
        SELECT max(occurred_at) FROM evaluations AS e
        WHERE e.tenant = wanted.tenant AND e.agent = wanted.agent AND e.occurred_at > :since AND e.occurred_at <= :now
    ) AS latest
    FROM unnest(CAST(:tenants AS text[]), CAST(:agents AS text[])) AS wanted (tenant, agent)
    """
)


async def answers_by_hour(engine: AsyncEngine, now: datetime) -> Mapping[Agent, Mapping[int, int]]:
    """Answers of each agent in the hours of the last four weeks, by hours since 1970. Raises `StoreUnavailable`.

    Scored or not, without those that the sample rate left out. The hour that is not over is not among them.
    """
    since = now - timedelta(hours=HISTORY_HOURS)
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            rows = (await connection.execute(_HOURS, {"since": since, "now": now})).all()
    return {(row.tenant, row.agent): dict(zip(row.hours, row.answers, strict=True)) for row in rows}


async def latest_answers(engine: AsyncEngine, agents: Collection[Agent], now: datetime) -> Mapping[Agent, float]:
    """When each agent answered last in the last two weeks, in seconds since 1970. Raises `StoreUnavailable`."""
    values = {
        "tenants": [tenant for tenant, _ in agents],
        "agents": [agent for _, agent in agents],
        "since": now - timedelta(hours=FORGOTTEN_HOURS),
        "now": now,
    }
    with translate_errors(engine.url):
        async with engine.connect() as connection:
            rows = (await connection.execute(_LATEST, values)).all()
    return {(row.tenant, row.agent): row.latest.timestamp() for row in rows if row.latest is not None}
