"""Reading scores: pages of evaluations, one in full, and the report."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from references.equivalence.pair import Rung
from references.verdict import ReferenceVerdict
from scoring.query import UnscoredReason
from scoring.reasons import ReasonCode
from scoring.rules import Tier
from scoring.verdict import FilterStatus, Verdict
from service.api.access import Caller, CallingTenant, RunningService
from service.api.errors import ApiError, errors
from service.api.replies import as_json
from service.storage.scores.evaluation_pages import MAX_PAGE, EvaluationFilter, Order, evaluation_page, find_evaluation
from service.storage.scores.reports import report

router = APIRouter(tags=["evaluations"])
Name = Annotated[str, Field(max_length=128, pattern=r"^[^\x00]*$")]


def _aware(value: object) -> object:
    # a plus sign that was not escaped arrives as a space
    return value.strip().replace(" ", "+") if isinstance(value, str) and value.count(":") > 2 else value


Moment = Annotated[datetime, BeforeValidator(_aware)]


class Window(BaseModel):
    """Which part of the rows."""

    model_config = ConfigDict(extra="forbid")

    tenant: Name | None = Field(default=None, description="Only this tenant's.", examples=["meridian-retail"])
    agent: Name | None = Field(default=None, description="Only this agent's.", examples=["atlas"])
    agent_version: Name | None = Field(default=None, description="Only this release's.", examples=["2.4.0"])
    since: Moment | None = Field(default=None, description="Occurred then or later; no zone is UTC.")
    until: Moment | None = Field(default=None, description="Occurred before then.")

    def wanted(self, caller: Caller) -> EvaluationFilter:
        """The restriction to what the caller may see."""
        given = self.model_dump(include={"agent", "agent_version"})
        return EvaluationFilter(tenant=caller.only(self.tenant), since=utc(self.since), until=utc(self.until), **given)


class ListQuery(Window):
    """Filters, order and page of a list."""

    tier: Tier | None = Field(default=None, description="Only this tier.")
    verdict: Verdict | None = Field(default=None, description="Only this verdict.")
    filter_status: FilterStatus | None = Field(default=None, description="Only this filter status.")
    reason: ReasonCode | UnscoredReason | None = Field(default=None, description="Only with this reason code.")
    reference: ReferenceVerdict | None = Field(default=None, description="Only those of which their reference says so.")
    unscored: bool | None = Field(default=None, description="Only without (true) or only with (false) a score.")
    min_score: float | None = Field(default=None, ge=0, le=100, description="Least score.")
    max_score: float | None = Field(default=None, ge=0, le=100, description="Greatest score.")
    order: Order = Field(default=Order.NEWEST, description="newest, or worst: by p_correct, then score.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE, description="Rows of a page.")
    cursor: str | None = Field(default=None, max_length=400, description="next_cursor of the page before.")

    def wanted(self, caller: Caller) -> EvaluationFilter:
        """The restriction to what the caller may see."""
        given = self.model_dump(mode="json", exclude={"tenant", "since", "until", "order", "limit", "cursor"})
        return EvaluationFilter(tenant=caller.only(self.tenant), since=utc(self.since), until=utc(self.until), **given)


class ReportQuery(Window):
    """Window and grouping of a report."""

    by: Literal["agent", "agent_version"] = Field(default="agent", description="Whether releases are told apart.")


def utc(moment: datetime | None) -> datetime | None:
    """The moment, in UTC where it names no zone."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


class EvaluationItem(BaseModel):
    """A row of a list."""

    model_config = ConfigDict(extra="allow")

    id: UUID
    tenant: str
    agent: str
    event_id: str
    occurred_at: datetime
    question: str
    sql: str
    score: float | None
    tier: Tier | None
    filter_status: FilterStatus | None
    verdict: Verdict | None
    confidence: float | None
    p_correct: float | None
    unscored: UnscoredReason | None
    reason_codes: list[str]
    rules_version: int
    reference_verdict: ReferenceVerdict | None = Field(description="Beside the score; null where none was sent.")
    reference_level: Rung | None = Field(description="What must be granted for a difference to count.")


class EvaluationInFull(EvaluationItem):
    """A row with everything that explains it."""

    attributes: dict[str, Any]
    record: dict[str, Any] = Field(description="The line that `sqlassay score` would write.")
    reference: dict[str, Any] | None = Field(description="What the reference says, as `sqlassay verify` writes it.")


class EvaluationPage(BaseModel):
    """A page of rows."""

    items: list[EvaluationItem]
    next_cursor: str | None = Field(description="Where the next page begins; null on the last.")


class ReportLine(BaseModel):
    """A line of the paper's Table 4."""

    tenant: str
    agent: str
    agent_version: str | None
    received: int
    scored: int
    mean: float | None
    p90: float | None
    coverage: float | None
    mean_p_correct: float | None
    judged_wrong: float | None

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "tenant": "meridian-retail",
                    "agent": "atlas",
                    "agent_version": None,
                    "received": 120,
                    "scored": 118,
                    "mean": 91.3,
                    "p90": 100.0,
                    "coverage": 0.9833,
                    "mean_p_correct": 0.88,
                    "judged_wrong": 0.07,
                }
            ]
        }
    )


class ReportReply(BaseModel):
    """Table 4 over a window."""

    by: str
    since: datetime | None
    until: datetime | None
    rows: list[ReportLine]


@router.get(
    "/v1/evaluations", response_model=EvaluationPage, responses=errors(400, 401, 403, 503), summary="List evaluations"
)
async def list_evaluations(
    query: Annotated[ListQuery, Query()], service: RunningService, caller: CallingTenant
) -> Response:
    """A page of evaluations, newest first or worst first."""
    page = await evaluation_page(
        service.engine, query.wanted(caller), order=query.order, limit=query.limit, cursor=query.cursor
    )
    return as_json({"items": page.items, "next_cursor": page.next_cursor})


@router.get(
    "/v1/evaluations/{evaluation_id}",
    response_model=EvaluationInFull,
    responses=errors(400, 401, 404, 503),
    summary="One evaluation, explained",
)
async def get_evaluation(evaluation_id: UUID, service: RunningService, caller: CallingTenant) -> Response:
    """Everything that is stored about one evaluation."""
    found = await find_evaluation(service.engine, evaluation_id, caller.tenant)
    if found is None:
        raise ApiError(404, "NOT_FOUND", f"there is no evaluation {evaluation_id}", "Take an id from /v1/evaluations.")
    return as_json(found)


@router.get("/v1/report", response_model=ReportReply, responses=errors(400, 401, 403, 503), summary="Quality per agent")
async def get_report(
    query: Annotated[ReportQuery, Query()], service: RunningService, caller: CallingTenant
) -> Response:
    """Mean and P90 of the score, coverage, mean p_correct and the share judged wrong, per agent or release."""
    wanted = query.wanted(caller)
    rows = await report(service.engine, wanted, by_version=query.by == "agent_version")
    return as_json(
        {"by": query.by, "since": wanted.since, "until": wanted.until, "rows": [asdict(row) for row in rows]}
    )
