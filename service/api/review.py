"""Hands answers to reviewers: what to label next."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from service.api.access import Reviewer, RunningService
from service.api.errors import ApiError, errors
from service.api.evaluations import Name
from service.api.replies import as_json
from service.settings.access_settings import AccessScope
from service.storage.reviewing.review_queue import next_answers

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
