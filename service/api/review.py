"""Hands answers to reviewers, and lists those about which labels disagree."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from consumers.wire.labels import ErrorType, LabelValue
from scoring.verdict import Verdict
from service.api.access import Reader, Reviewer, RunningService
from service.api.errors import ApiError, errors
from service.api.evaluations import AnswerFilter, Name, Timestamp
from service.api.replies import as_json
from service.settings.access_settings import AccessScope
from service.storage.reviewing.disagreements import Between, disagreements
from service.storage.reviewing.review_queue import next_answers
from service.storage.scores.evaluation_pages import MAX_PAGE

router = APIRouter(tags=["labels"])


class NextQuery(BaseModel):
    """Who reviews, and how many answers."""

    model_config = ConfigDict(extra="forbid")

    reviewer: Name = Field(description="Who will label the answers: the `reviewer` of the labels.", examples=["noor"])
    tenant: Name | None = Field(default=None, description="The tenant; default is the token's tenant, else `default`.")
    agent: Name | None = Field(default=None, description="Only answers of this agent.")
    limit: int = Field(default=1, ge=1, le=50, description="Most answers.")


class ReviewItem(BaseModel):
    """An answer to label. What the judge says is left out, so that it does not sway the reviewer."""

    model_config = ConfigDict(extra="allow")

    evaluation_id: UUID
    tenant: str
    source: str
    event_id: str
    agent: str
    agent_version: str | None
    occurred_at: datetime
    question: str
    enriched_question: str | None
    sql: str
    dialect: str | None
    sampling_probability: float = Field(description="The probability with which the answer was drawn.")
    leased_until: datetime = Field(description="Until then nobody else is handed the answer.")


class NextReply(BaseModel):
    """The answers that are the reviewer's now."""

    items: list[ReviewItem] = Field(description="Empty where all answers of 30 days are labelled or handed out.")


@router.post(
    "/v1/review/next",
    response_model=NextReply,
    responses=errors(400, 401, 403, 503),
    summary="What to label next",
)
async def review_next(query: Annotated[NextQuery, Query()], service: RunningService, caller: Reviewer) -> Response:
    """Hands answers to a reviewer for 30 minutes: first those that the reviewer has already, then new ones.

    Label them with `POST /v1/labels` under the same name. The labels then have the answers' sampling probability.
    """
    if AccessScope.READ not in caller.scopes:
        fix = "Use a token with both scopes: sqlassay tokens create --scope review --scope read."
        raise ApiError(403, "MISSING_SCOPE", "answers hold questions and SQL: the scope 'read' is needed too", fix)
    tenant = caller.only(query.tenant) or "default"
    found = await next_answers(
        service.engine, tenant, query.reviewer, now=datetime.now(UTC), limit=query.limit, agent=query.agent
    )
    return as_json({"items": found})


class DisagreementQuery(AnswerFilter):
    """Who disagrees about which answers, and the page."""

    between: Between = Field(
        description="reviewers: some call the answer right and some wrong. judge: most call it right and its"
        " `p_correct` is below 0.5, or most call it wrong and it is not."
    )
    since: Timestamp | None = Field(
        default=None, description="Only answers whose latest label is of this time or later."
    )
    until: Timestamp | None = Field(default=None, description="Only answers whose latest label is before this time.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE, description="Answers per page.")
    cursor: str | None = Field(default=None, max_length=4000, description="next_cursor of the previous page.")


class ReviewerLabel(BaseModel):
    """What one reviewer says about an answer of a list."""

    reviewer: str
    label: LabelValue
    error_type: ErrorType | None
    note: str | None
    correction: str | None
    labelled_at: datetime
    blind: bool | None


class Disagreement(BaseModel):
    """An answer about which labels disagree with each other or with the judge."""

    model_config = ConfigDict(extra="allow")

    evaluation_id: UUID
    tenant: str
    source: str
    event_id: str
    agent: str
    agent_version: str | None
    occurred_at: datetime
    question: str
    sql: str
    score: float | None
    verdict: Verdict | None
    p_correct: float | None
    right: int = Field(description="Reviewers who call it right.")
    wrong: int
    labelled_at: datetime = Field(description="The time of the latest of these labels.")
    labels: list[ReviewerLabel] = Field(description="With those that are unsure.")


class DisagreementPage(BaseModel):
    """A page of answers."""

    items: list[Disagreement]
    next_cursor: str | None = Field(description="Send it as `cursor` for the next page. Null on the last page.")


@router.get(
    "/v1/review/disagreements",
    response_model=DisagreementPage,
    responses=errors(400, 401, 403, 503),
    summary="Where labels disagree",
)
async def list_disagreements(
    query: Annotated[DisagreementQuery, Query()], service: RunningService, caller: Reader
) -> Response:
    """Returns answers about which reviewers disagree with each other, or with the judge."""
    page = await disagreements(
        service.engine, query.between, query.wanted(caller), limit=query.limit, cursor=query.cursor
    )
    return as_json({"items": page.items, "next_cursor": page.next_cursor})
