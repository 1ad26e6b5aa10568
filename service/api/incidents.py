"""Reads incidents, one for each fall of an agent, as the alert and the console say it, and notes what people do."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Self
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from service.api.access import Reader, Reviewer, RunningService
from service.api.bodies import read_body
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
from service.storage.incidents.incident_history import LONGEST_EXPLANATION, IncidentAction, note_incident

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


class StepByPeople(StrEnum):
    """What people may do with an incident."""

    ACKNOWLEDGED = IncidentAction.ACKNOWLEDGED.value
    """Somebody looks into it."""
    EXPLAINED = IncidentAction.EXPLAINED.value
    """Somebody wrote down the cause."""
    CLOSED = IncidentAction.CLOSED.value
    REOPENED = IncidentAction.REOPENED.value


class NewStep(BaseModel):
    """A step to note."""

    model_config = ConfigDict(extra="forbid")

    action: StepByPeople = Field(description="What was done.", examples=["explained"])
    explanation: Annotated[str, Field(max_length=LONGEST_EXPLANATION, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, description="What caused the fall: needed to explain, and taken with no other action."
    )

    @model_validator(mode="after")
    def _only_explaining_has_an_explanation(self) -> Self:
        given = bool(self.explanation and self.explanation.strip())
        if given != (self.action is StepByPeople.EXPLAINED):
            raise ValueError("write explanation with the action explained, and with no other")
        return self


def _step_schema() -> dict[str, Any]:
    schema = NewStep.model_json_schema()
    kinds = schema.pop("$defs")
    described = schema["properties"]["action"]
    schema["properties"]["action"] = {**kinds["StepByPeople"], "description": described["description"]}
    explained = {
        "properties": {
            "action": {"const": StepByPeople.EXPLAINED.value},
            "explanation": {"type": "string", "pattern": r"\S"},
        },
        "required": ["explanation"],
    }
    others = {
        "properties": {"action": {"not": {"const": StepByPeople.EXPLAINED.value}}, "explanation": {"type": "null"}}
    }
    return schema | {"anyOf": [explained, others]}


def _read_step(raw: bytes) -> NewStep:
    try:
        return NewStep.model_validate_json(raw)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"][:1])) or "body"
        message = f"{where}: {fault['msg'].removeprefix('Value error, ')}"
        fix = f"Send action, one of {', '.join(StepByPeople)}, and explanation where you explain."
        raise ApiError(400, "INVALID_PARAMETER", message, fix) from None


@router.post(
    "/v1/incidents/{incident_id}",
    response_model=Incident,
    responses=errors(400, 401, 403, 404, 413, 415, 503),
    openapi_extra={"requestBody": {"required": True, "content": {"application/json": {"schema": _step_schema()}}}},
    summary="Acknowledge, explain, close or reopen a fall",
)
async def note_step(
    incident_id: UUID, request: Request, service: RunningService, reader: Reader, caller: Reviewer
) -> Response:
    """Notes what somebody did, as the console's page does, and returns the incident.

    A step that is done already, such as closing what is closed, adds no line to the history.
    """
    async with read_body(request, service, caller, {"application/json"}) as body:
        step = _read_step(body.raw)
    incident = await incident_of(service, incident_id, reader)
    await note_incident(
        service.engine,
        incident.id,
        IncidentAction(step.action.value),
        actor=caller.name or "somebody",
        now=datetime.now(UTC),
        explanation=(step.explanation or "").strip(),
    )
    return as_json(_line(await incident_of(service, incident_id, reader)))


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
