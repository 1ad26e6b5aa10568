"""Reads how agents answer their canaries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from consumers.wire.canary import CanaryFailure
from evals.canary_results import CanaryResult
from references.reference_verdict import ReferenceVerdict
from service.api.access import Reader, RunningService
from service.api.errors import errors
from service.api.evaluations import Name
from service.api.replies import as_json
from service.storage.canaries.latest_canaries import CanaryScope, latest_canaries

router = APIRouter(tags=["canaries"])
MOST_LISTED = 1000
"""Canaries in one reply."""


class CanaryQuery(BaseModel):
    """Which canaries."""

    model_config = ConfigDict(extra="forbid")

    tenant: Name | None = Field(default=None, description="Only those of this tenant; default is the token's.")
    agent: Name | None = Field(default=None, description="Only those of this agent.")
    days: int = Field(default=7, ge=1, le=366, description="Only those asked in the last days.")
    limit: int = Field(default=100, ge=1, le=MOST_LISTED, description="Most canaries.")


class CanaryLine(BaseModel):
    """The latest compared answer to a canary, or its latest one while none is compared."""

    tenant: str
    agent: str
    agent_version: str | None
    case_id: str
    source: str
    event_id: str
    asked_at: datetime
    received_at: datetime
    last_received_at: datetime = Field(description="When the latest answer arrived, compared or not.")
    result: CanaryResult
    failure: CanaryFailure | None = Field(description="Why there is no answer.")
    question: str = Field(description="Empty where the tenant's texts are not stored.")
    sql: str
    dialect: str | None
    reference_sql: str | None
    verdict: ReferenceVerdict | None
    level: str | None = Field(description="How much the difference matters: S0 matters most.")
    reference: dict[str, Any] | None = Field(description="The comparison, with a small database where they differ.")
    judged_at: datetime | None


class CanaryReply(BaseModel):
    """The canaries, last asked first."""

    items: list[CanaryLine]


@router.get("/v1/canaries", response_model=CanaryReply, responses=errors(400, 401, 403, 503), summary="Latest canaries")
async def list_canaries(query: Annotated[CanaryQuery, Query()], service: RunningService, caller: Reader) -> Response:
    """Returns how each canary was answered last, and where the answer differs from its reference."""
    since = datetime.now(UTC) - timedelta(days=query.days)
    wanted = CanaryScope(since=since, tenant=caller.only(query.tenant), agent=query.agent)
    return as_json({"items": await latest_canaries(service.engine, wanted, limit=query.limit)})
