"""The pages of incidents: what fell, since when, by how much, why, and what to do next."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import RedirectResponse, Response

from service.api.access import ConsoleReader, ConsoleReviewer, RunningService
from service.api.errors import ApiError
from service.api.forms.form_fields import FormFields
from service.api.incidents import incident_of
from service.console.forms import BrowserForm
from service.console.meanings import meanings
from service.console.overview.reason_changes import ReasonChange, reason_changes
from service.console.reason_choices import shown_reasons
from service.console.rendering import link, page
from service.pipeline.running import Service
from service.storage.incidents.agent_incidents import AgentIncident, agent_incidents
from service.storage.incidents.incident_history import (
    BY_PEOPLE,
    LONGEST_EXPLANATION,
    IncidentAction,
    note_incident,
)
from service.storage.scores.evaluation_pages import EvaluationFilter, Order, evaluation_page
from service.storage.scores.recent_findings import RecentFindings, recent_findings
from service.storage.status.intake_status import last_answers
from service.storage.sums.reading import AnswerScope

router = APIRouter(include_in_schema=False)
RUNBOOK = "https://github.com/sqlassay/sqlassay/blob/main/docs/runbooks/SQLAssayAgentAlarm.md"
_TOP, _EXAMPLES, _LABELS = 3, 5, 10
_READ = 500
"""Newest answers before and since whose reasons are counted."""


@router.get("/console/incidents")
async def list_incidents(
    query: Annotated[BrowserForm, Query()], service: RunningService, reader: ConsoleReader
) -> Response:
    """Lists incidents, newest first; leads to the only one of an agent whose alarm is on."""
    tenant = reader.only(query.tenant)
    found = await agent_incidents(service.engine, tenant=tenant, agent=query.agent)
    current = [each for each in found if each.over_at is None]
    if query.agent is not None and len(current) == 1:
        return RedirectResponse(f"/console/incidents/{current[0].id}", status_code=303)
    answers = bool(found) or bool(await last_answers(service.engine, tenant, datetime.now(UTC)))
    shown = {"title": "Incidents", "incidents": found, "given": query.given(), "answers": answers}
    return page("incidents.html", shown, carried=query.carried())


@router.get("/console/incidents/{incident_id}")
async def show_incident(incident_id: UUID, service: RunningService, reader: ConsoleReader) -> Response:
    """Shows one fall of an agent."""
    incident = await incident_of(service, incident_id, reader)
    before, after = await _findings(service, incident)
    risen = _risen(before, after)
    examples = await _examples(service, incident, risen)
    who: dict[str, object] = {"tenant": incident.tenant, "agent": incident.agent}
    own = {**who, "agent_version": incident.agent_version or None, "judge": incident.judge}
    shown = {
        "title": "Incident",
        "incident": incident,
        "risen": [(each, meanings().get(each.code, {}).get("means", "")) for each in risen],
        "read": (before.answers, after.answers),
        "examples": [(row, shown_reasons(row["reason_codes"], risen[0].code if risen else None)) for row in examples],
        "who": who,
        "answers": {**own, "since": incident.since.isoformat()},
        "earlier": {
            **who,
            "agent_version": incident.scope_before.agent_version,
            "judge": incident.judge,
            "since": incident.before_since.isoformat(),
            "until": incident.since.isoformat(),
        },
        "labels": _LABELS,
        "longest": LONGEST_EXPLANATION,
        "runbook": RUNBOOK,
    }
    return page("incident.html", shown, carried=who)


@router.post("/console/incidents/{incident_id}")
async def note_step(
    incident_id: UUID, fields: FormFields, service: RunningService, reader: ConsoleReader, reviewer: ConsoleReviewer
) -> Response:
    """Notes that somebody acknowledged, explained, closed or reopened the incident, and leads back to it."""
    del reader  # the page that follows shows texts
    incident = await incident_of(service, incident_id, reviewer)
    action, explanation = fields.get("action", ""), fields.get("explanation", "").strip()
    if action not in BY_PEOPLE:
        raise ApiError(400, "INVALID_PARAMETER", f"action: {action[:40]!r} is none", f"Send {', '.join(BY_PEOPLE)}.")
    if action == IncidentAction.EXPLAINED and not explanation:
        raise ApiError(400, "INVALID_PARAMETER", "explanation: it is empty", "Write what caused the fall.")
    explanation = explanation.replace("\0", "") if action == IncidentAction.EXPLAINED else ""
    await note_incident(
        service.engine,
        incident.id,
        IncidentAction(action),
        actor=reviewer.name or "somebody",
        now=datetime.now(UTC),
        explanation=explanation,
    )
    return RedirectResponse(link(f"/console/incidents/{incident.id}", {}), status_code=303)


async def _findings(service: Service, incident: AgentIncident) -> tuple[RecentFindings, RecentFindings]:
    who = incident.tenant, incident.agent
    scopes: list[tuple[AnswerScope, list[tuple[str, str]]]] = [
        (incident.scope_before, [who]),
        (incident.scope_after, [who]),
    ]
    before, after = await recent_findings(service.engine, scopes, most=_READ)
    return before.get(who, RecentFindings()), after.get(who, RecentFindings())


def _risen(before: RecentFindings, after: RecentFindings) -> list[ReasonChange]:
    """The kinds of fault that rose most."""
    return [each for each in reason_changes(before, after) if each.difference > 0][:_TOP]


async def _examples(service: Service, incident: AgentIncident, risen: list[ReasonChange]) -> list[dict[str, Any]]:
    """The worst answers of the version and time with the kind of fault that rose most; then the worst of any."""
    scope = incident.scope_after
    names = {name: getattr(scope, name) for name in AnswerScope.__dataclass_fields__}
    wanted = [EvaluationFilter(**names, judge=incident.judge, reason=risen[0].code if risen else None)]
    if risen:
        wanted.append(EvaluationFilter(**names, judge=incident.judge))
    found = await asyncio.gather(
        *(evaluation_page(service.engine, each, order=Order.WORST, limit=_EXAMPLES) for each in wanted)
    )
    rows = {row["id"]: row for each in found for row in each.items}
    return list(rows.values())[:_EXAMPLES]
