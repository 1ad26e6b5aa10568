"""What people do with an incident: acknowledge it, explain it, close it, open it again."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, literal, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncEngine

from service.storage.database import translate_errors
from service.storage.tables import AGENT_INCIDENTS

LONGEST_EXPLANATION = 2_000
"""Most letters of an explanation."""
_INCIDENTS = AGENT_INCIDENTS.c


class IncidentAction(StrEnum):
    """One line of an incident's history."""

    OPENED = "opened"
    """The service saw that an alarm of the agent is on."""
    ACKNOWLEDGED = "acknowledged"
    EXPLAINED = "explained"
    CLOSED = "closed"
    REOPENED = "reopened"
    OVER = "over"
    """The service saw that no alarm of the agent is on any more."""


BY_PEOPLE = (
    IncidentAction.ACKNOWLEDGED,
    IncidentAction.EXPLAINED,
    IncidentAction.CLOSED,
    IncidentAction.REOPENED,
)
"""What people may do."""


def history_entry(action: IncidentAction, actor: str | None, now: datetime) -> dict[str, Any]:
    """A line of the history."""
    return {"at": now.isoformat(), "action": action.value, "actor": actor}


def with_entry(entry: Mapping[str, Any]) -> ColumnElement[Any]:
    """The stored history with one more line, whatever was added meanwhile."""
    return _INCIDENTS.history.op("||")(literal([entry], JSONB))


async def note_incident(
    engine: AsyncEngine, id_: UUID, action: IncidentAction, *, actor: str | None, now: datetime, explanation: str = ""
) -> bool:
    """Adds a line to an incident's history, and the explanation where there is one.

    Returns whether anything changed: what is done already, such as closing what is closed, adds no line. Raises
    `StoreUnavailable`.
    """
    values: dict[str, Any] = {"history": with_entry(history_entry(action, actor, now))}
    if explanation:
        values["explanation"] = explanation[:LONGEST_EXPLANATION]
    if action in {IncidentAction.CLOSED, IncidentAction.REOPENED}:
        values["closed_at"] = now if action is IncidentAction.CLOSED else None
    step = update(AGENT_INCIDENTS).where(_INCIDENTS.id == id_, _is_to_do(action, explanation[:LONGEST_EXPLANATION]))
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            return (await connection.execute(step.values(**values))).rowcount > 0


def _is_to_do(action: IncidentAction, explanation: str) -> ColumnElement[bool]:
    match action:
        case IncidentAction.CLOSED:
            return _INCIDENTS.closed_at.is_(None)
        case IncidentAction.REOPENED:
            return _INCIDENTS.closed_at.is_not(None)
        case IncidentAction.EXPLAINED:
            return _INCIDENTS.explanation.is_distinct_from(explanation)
        case _:
            return ~_INCIDENTS.history.contains([{"action": action.value}])
