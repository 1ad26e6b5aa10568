"""What the alarms should be: those that the stored rows give in the order of their times."""

from __future__ import annotations

from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncEngine

from evals.alarms.agent_alarm import AgentAlarm, WatchedAnswer
from evals.alarms.alarm_json import from_json
from service.storage.alarms.watched_answers import question_digest
from service.storage.tables import AGENT_ALARMS, EVALUATIONS

BOUND = 50.0
"""The lowest score of the tier `marginal`."""


async def undisturbed_alarms(engine: AsyncEngine) -> dict[str, AgentAlarm]:
    """The alarms that the stored rows give in the order of their times."""
    rows = EVALUATIONS.c
    scored = select(EVALUATIONS).where(rows.current, rows.score.is_not(None)).order_by(rows.occurred_at, rows.event)
    async with engine.connect() as connection:
        found = (await connection.execute(scored)).all()
    alarms: dict[str, AgentAlarm] = {}
    for row in found:
        answer = WatchedAnswer(
            moment=row.occurred_at.timestamp(),
            p_alone=row.p_alone,
            score=row.score,
            question=question_digest(row.question),
            draw=(row.event.int >> 75) / 2**53,
        )
        alarms.setdefault(row.agent, AgentAlarm()).add(answer, BOUND)
    return alarms


async def stored_alarms(engine: AsyncEngine) -> dict[str, AgentAlarm]:
    async with engine.connect() as connection:
        rows = (await connection.execute(select(AGENT_ALARMS.c.agent, AGENT_ALARMS.c.state))).all()
    return {row.agent: from_json(row.state) for row in rows}


async def answers_waiting(engine: AsyncEngine) -> int:
    async with engine.connect() as connection:
        return await connection.scalar(text("SELECT count(*) FROM watched_answers"))
