"""Reads scores: pages of evaluations, one evaluation in full, and the report."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from consumers.wire.labels import ErrorType, LabelValue
from evals.estimate.right_share import Method
from references.equivalence.pair import Level
from references.reference_verdict import ReferenceVerdict
from scoring.query import UnscoredReason
from scoring.reasons import ReasonCode
from scoring.rules import Tier
from scoring.verdict import FilterStatus, Verdict
from service.api.access import Reader, RunningService
from service.api.caller import Caller
from service.api.errors import ApiError, errors
from service.api.replies import as_json
from service.storage.label_store import labelled_evaluation
from service.storage.scores.estimated_reports import estimated_report
from service.storage.scores.evaluation_pages import MAX_PAGE, EvaluationFilter, Order, evaluation_page
from service.storage.sums.reading import AnswerScope, Period

router = APIRouter(tags=["evaluations"])
Name = Annotated[str, Field(max_length=128, pattern=r"^[^\x00]*$")]


_BEGINS_WITH_DAY = re.compile(r"\s*\d{4}-\d\d-\d\d")


def _read_time(value: object) -> object:
    if not isinstance(value, str):
        return value
    if not _BEGINS_WITH_DAY.match(value):
        raise ValueError("write an ISO 8601 time, such as 2026-11-02T09:30:00Z or 2026-11-02")
    # an unescaped plus sign in a URL arrives as a space
    return value.strip().replace(" ", "+") if value.count(":") > 2 else value


_TIMES = {"type": "string", "anyOf": [{"format": "date-time"}, {"format": "date"}]}


def _check_year(moment: datetime) -> datetime:
    try:
        utc(moment)
    except OverflowError:
        raise ValueError("in UTC, the time is not within the years 1 to 9999") from None
    return moment


Timestamp = Annotated[datetime, BeforeValidator(_read_time), AfterValidator(_check_year), WithJsonSchema(_TIMES)]


class AnswerFilter(BaseModel):
    """Which answers to include."""

    model_config = ConfigDict(extra="forbid")

    tenant: Name | None = Field(default=None, description="Only this tenant.", examples=["meridian-retail"])
    agent: Name | None = Field(default=None, description="Only this agent.", examples=["atlas"])
    agent_version: Name | None = Field(default=None, description="Only this version of the agent.", examples=["2.4.0"])
    since: Timestamp | None = Field(
        default=None, description="Only answers at or after this time. A time without a zone is UTC."
    )
    until: Timestamp | None = Field(default=None, description="Only answers before this time.")

    def wanted(self, caller: Caller) -> AnswerScope:
        """The query, restricted to what the caller may access."""
        given = self.model_dump(include={"agent", "agent_version"})
        return AnswerScope(tenant=caller.only(self.tenant), since=utc(self.since), until=utc(self.until), **given)


class ListQuery(AnswerFilter):
    """The filters, order and page of a list."""

    tier: Tier | None = Field(default=None, description="Only this tier.")
    verdict: Verdict | None = Field(default=None, description="Only this verdict.")
    filter_status: FilterStatus | None = Field(default=None, description="Only this filter status.")
    reason: ReasonCode | UnscoredReason | None = Field(default=None, description="Only with this reason code.")
    reference: ReferenceVerdict | None = Field(default=None, description="Only with this reference verdict.")
    unscored: bool | None = Field(
        default=None, description="true: only answers without a score. false: only answers with a score."
    )
    min_score: float | None = Field(default=None, ge=0, le=100, description="Minimum score.")
    max_score: float | None = Field(default=None, ge=0, le=100, description="Maximum score.")
    order: Order = Field(default=Order.NEWEST, description="newest first, or worst first: by p_correct, then by score.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE, description="Rows per page.")
    cursor: str | None = Field(default=None, max_length=400, description="next_cursor of the previous page.")

    def wanted(self, caller: Caller) -> EvaluationFilter:
        """The query, restricted to what the caller may access."""
        read = set(ListQuery.model_fields) - {"tenant", "since", "until", "order", "limit", "cursor"}
        given = self.model_dump(mode="json", include=read)
        return EvaluationFilter(tenant=caller.only(self.tenant), since=utc(self.since), until=utc(self.until), **given)


class ReportQuery(AnswerFilter):
    """The filters and grouping of a report."""

    by: Literal["agent", "agent_version"] = Field(
        default="agent", description="One row per agent, or per version of an agent."
    )
    every: Period | None = Field(default=None, description="One row for each day, or week from Monday (UTC), too.")


def utc(moment: datetime | None) -> datetime | None:
    """Returns the time in UTC. A time without a zone is UTC. Raises `OverflowError` outside the years 1 to 9999."""
    if moment is None:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


class EvaluationItem(BaseModel):
    """One evaluation in a list."""

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
    p_correct: float | None = Field(description="The probability that the answer is right, with memory where it is on.")
    p_alone: float | None = Field(
        description="The same from this answer alone; means of agents use it. Null in rows of releases before memory."
    )
    unscored: UnscoredReason | None
    reason_codes: list[str]
    rules_version: int
    reference_verdict: ReferenceVerdict | None = Field(
        description="What the event's reference says about the answer. Null without a reference."
    )
    reference_level: Level | None = Field(description="What must be assumed for the difference to count.")


class AnswerLabel(BaseModel):
    """What one reviewer says about the answer."""

    reviewer: str
    label: LabelValue
    error_type: ErrorType | None
    note: str | None
    correction: str | None
    blind: bool | None = Field(
        description="Whether the reviewer had not seen the judge's verdict. Null where it is not recorded."
    )
    labelled_at: datetime
    sampling_probability: float | None = Field(
        description="The probability with which the answer was drawn for labelling. Null where it is not recorded."
    )


class EvaluationInFull(EvaluationItem):
    """One evaluation with everything that explains its score."""

    attributes: dict[str, Any]
    result: dict[str, Any] | None = Field(description="What running the SQL gave, as the event says it.")
    history: list[dict[str, Any]] | None = Field(description="The turns before the question, as the event says them.")
    record: dict[str, Any] = Field(description="The fields that `sqlassay score` writes.")
    context: dict[str, Any] | None = Field(
        description="What the tenant's memory knew of the answer. Null where it was judged alone."
    )
    reference: dict[str, Any] | None = Field(
        description="The comparison with the reference, as `sqlassay verify` writes it."
    )
    labels: list[AnswerLabel] = Field(description="What reviewers say about the answer, newest first.")


class EvaluationPage(BaseModel):
    """A page of evaluations."""

    items: list[EvaluationItem]
    next_cursor: str | None = Field(description="Send it as `cursor` for the next page. Null on the last page.")


class ReportLine(BaseModel):
    """One row of the paper's Table 4."""

    tenant: str
    agent: str
    agent_version: str | None
    period: datetime | None = Field(description="When the day or week begins, with `every`.")
    received: int
    scored: int
    mean: float | None
    p90: float | None
    coverage: float | None
    mean_p_correct: float | None = Field(description="Mean of the probabilities without memory.")
    judged_wrong: float | None
    estimate: float | None = Field(
        description="Share of right answers. Null without labels where another judge than the packaged one gave scores."
    )
    low: float = Field(description="Lower bound of the 90 % interval of `estimate`.")
    high: float = Field(description="Its upper bound.")
    labels: int = Field(description="Labelled answers that the estimate uses.")
    method: Method = Field(description="How the estimate came about; with `no labels` nothing is measured yet.")
    verdicts: int = Field(description="Verdicts of a model that the estimate uses.")
    more_labels: int | None = Field(
        description="More labels that narrow the interval to ±5 points; null without labels."
    )
    model_before: float | None = Field(
        description="Share of the earlier half of labels with which the model agrees; null below four labels."
    )
    model_after: float | None = Field(description="The same of the later half.")
    model_worse: bool = Field(description="Whether that is surely a fall: the model, or the answers, became worse.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "tenant": "meridian-retail",
                    "agent": "atlas",
                    "agent_version": None,
                    "period": None,
                    "received": 120,
                    "scored": 118,
                    "mean": 91.3,
                    "p90": 100.0,
                    "coverage": 0.9833,
                    "mean_p_correct": 0.88,
                    "judged_wrong": 0.07,
                    "estimate": 0.93,
                    "low": 0.83,
                    "high": 0.98,
                    "labels": 30,
                    "method": "ppi++",
                    "verdicts": 0,
                    "more_labels": 12,
                    "model_before": None,
                    "model_after": None,
                    "model_worse": False,
                }
            ]
        }
    )


class ReportReply(BaseModel):
    """The paper's Table 4 for the requested answers."""

    by: str
    every: Period | None
    since: datetime | None
    until: datetime | None
    rows: list[ReportLine]


@router.get(
    "/v1/evaluations", response_model=EvaluationPage, responses=errors(400, 401, 403, 503), summary="List evaluations"
)
async def list_evaluations(query: Annotated[ListQuery, Query()], service: RunningService, caller: Reader) -> Response:
    """Returns a page of evaluations, newest first or worst first."""
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
async def get_evaluation(evaluation_id: UUID, service: RunningService, caller: Reader) -> Response:
    """Returns everything stored about one evaluation."""
    found = await labelled_evaluation(service.engine, evaluation_id, caller.tenant)
    if found is None:
        raise ApiError(404, "NOT_FOUND", f"there is no evaluation {evaluation_id}", "Take an id from /v1/evaluations.")
    return as_json(found)


@router.get("/v1/report", response_model=ReportReply, responses=errors(400, 401, 403, 503), summary="Quality per agent")
async def get_report(query: Annotated[ReportQuery, Query()], service: RunningService, caller: Reader) -> Response:
    """Returns mean and P90 score, coverage, mean p_correct, the share judged wrong and the estimated share right."""
    wanted = query.wanted(caller)
    rows = await estimated_report(service.engine, wanted, by_version=query.by == "agent_version", period=query.every)
    asked = {"by": query.by, "every": query.every, "since": wanted.since, "until": wanted.until}
    return as_json({**asked, "rows": [asdict(row) for row in rows]})
