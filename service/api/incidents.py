"""Reads incidents, one for each fall of an agent, as the alert and the console say it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from service.api.access import Reader, RunningService
from service.api.caller import Caller
from service.api.errors import ApiError, errors
from service.api.evaluations import Name
from service.api.replies import as_json
from service.pipeline.running import Service
from service.storage.incidents.agent_incidents import (
    MOST_LISTED,
    AgentIncident,
    IncidentState,
    agent_incidents,
    find_incident,
)
from service.storage.incidents.incident_history import IncidentAction

router = APIRouter(tags=["incidents"])


class IncidentQuery(BaseModel):
    """Which incidents to list."""

    model_config = ConfigDict(extra="forbid")

    tenant: Name | None = Field(default=None, description="Only this tenant.", examples=["meridian-retail"])
    agent: Name | None = Field(default=None, description="Only this agent.", examples=["atlas"])
    current: bool | None = Field(
        default=None, description="true: only those whose alarm is on. false: only those whose alarm went off."
    )
    limit: int = Field(default=50, ge=1, le=MOST_LISTED, description="Most incidents.")


class IncidentStep(BaseModel):
    """One line of an incident's history."""

    at: datetime
    action: IncidentAction
    actor: str | None = Field(description="The name of the token or person; null where the service itself did it.")


class JudgedAnswers(BaseModel):
    """How many answers are judged wrong."""

    answers: int
    wrong: int
    share: float | None


class Incident(BaseModel):
    """One fall of an agent."""

    id: UUID
    tenant: str
    agent: str
    state: IncidentState
    summary: str = Field(description="What happened, as the alert and the console say it.")
    change: str = Field(description="The share judged wrong before and since.", examples=["5 % → 68 %"])
    agent_version: str | None = Field(description="The version that is worse; null where no new version is.")
    version_before: str | None
    since: datetime
    before: JudgedAnswers
    after: JudgedAnswers
    p_value: float | None = Field(description="Fisher's exact test of both shares: how often chance explains them.")
    fall: bool = Field(description="Its answers became worse than its own earlier ones.")
    below: bool = Field(description="Its mean score was below the tenant's bound.")
    judge: str
    opened_at: datetime
    over_at: datetime | None = Field(description="When the agent's alarm went off.")
    closed_at: datetime | None
    explanation: str | None
    history: list[IncidentStep]


class IncidentsReply(BaseModel):
    """Incidents, newest first."""

    items: list[Incident]


@router.get(
    "/v1/incidents", response_model=IncidentsReply, responses=errors(400, 401, 403, 503), summary="Falls of agents"
)
async def list_incidents(query: Annotated[IncidentQuery, Query()], service: RunningService, caller: Reader) -> Response:
    """Lists incidents: which agent fell, since when, under which version, and by how much."""
    found = await agent_incidents(
        service.engine,
        tenant=caller.only(query.tenant),
        agent=query.agent,
        current=query.current,
        limit=query.limit,
    )
    return as_json({"items": [_line(each) for each in found]})


@router.get(
    "/v1/incidents/{incident_id}", response_model=Incident, responses=errors(400, 401, 403, 404, 503),
    summary="One fall of an agent",
)  # fmt: skip
async def show_incident(incident_id: UUID, service: RunningService, caller: Reader) -> Response:
    """Returns one incident with its history."""
    return as_json(_line(await incident_of(service, incident_id, caller)))


async def incident_of(service: Service, incident_id: UUID, caller: Caller) -> AgentIncident:
    """The incident; a 404 where there is none that the caller may access."""
    found = await find_incident(service.engine, incident_id, caller.only(None))
    if found is None:
        fix = "Look at GET /v1/incidents. Retention deletes those that are over."
        raise ApiError(404, "NOT_FOUND", f"there is no incident {incident_id}", fix)
    return found


_PLAIN = (
    "id tenant agent state summary change agent_version version_before since p_value fall below judge opened_at"
    " over_at closed_at explanation history"
).split()


def _line(incident: AgentIncident) -> Mapping[str, Any]:
    counts = {
        name: {"answers": each.answers, "wrong": each.wrong, "share": each.share}
        for name, each in (("before", incident.before), ("after", incident.after))
    }
    return {**{name: getattr(incident, name) for name in _PLAIN}, **counts}
