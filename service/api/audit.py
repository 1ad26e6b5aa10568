"""Lists the changes in the audit log: who changed labels, rules, schemas, calibrations and tokens, and when."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from service.api.access import Administrator, RunningService
from service.api.caller import Caller
from service.api.errors import errors
from service.api.evaluations import Name, Timestamp, utc
from service.api.replies import as_json
from service.storage.audit import AuditAction, AuditFilter, Via, audit_rows
from service.storage.scores.evaluation_pages import MAX_PAGE

router = APIRouter(tags=["audit"])


class AuditQuery(BaseModel):
    """Which changes to list, and the page."""

    model_config = ConfigDict(extra="forbid")

    tenant: Name | None = Field(default=None, description="Only changes of this tenant.", examples=["meridian-retail"])
    action: AuditAction | None = Field(default=None, description="Only changes of this kind.")
    actor: Name | None = Field(default=None, description="Only changes that this person, token or account made.")
    since: Timestamp | None = Field(
        default=None, description="Only changes at or after this time. A time without a zone is UTC."
    )
    until: Timestamp | None = Field(default=None, description="Only changes before this time.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE, description="Changes per page.")
    cursor: str | None = Field(default=None, pattern=r"^[0-9]{1,18}$", description="next_cursor of the previous page.")

    def wanted(self, caller: Caller) -> AuditFilter:
        """The query, restricted to the tenant whose changes the caller may read."""
        return AuditFilter(
            tenant=caller.only(self.tenant),
            action=self.action,
            actor=self.actor,
            since=utc(self.since),
            until=utc(self.until),
            before=int(self.cursor) if self.cursor is not None else None,
        )


class AuditEntry(BaseModel):
    """One change. It holds no text of a question or an answer, and no secret."""

    id: int
    at: datetime
    tenant: str | None = Field(description="Null where the change concerns all tenants.")
    actor: str | None = Field(
        description="The token, person or account that made the change; null for the service itself."
    )
    via: Via = Field(description="The way by which the change came.")
    action: AuditAction
    subject: str | None = Field(description="What was changed: an event's id, or the name of a token, view or run.")
    reviewer: str | None = Field(description="Whose label it is.")
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class AuditPage(BaseModel):
    """A page of the audit log, newest first."""

    items: list[AuditEntry]
    next_cursor: str | None = Field(description="Send it as `cursor` for the next page. Null on the last page.")


@router.get(
    "/v1/audit",
    response_model=AuditPage,
    responses=errors(400, 401, 403, 503),
    summary="Audit log",
)
async def list_changes(
    query: Annotated[AuditQuery, Query()], service: RunningService, caller: Administrator
) -> Response:
    """Lists changes, newest first. The token of one tenant gets the changes of that tenant only."""
    found = await audit_rows(service.engine, query.wanted(caller), query.limit + 1)
    items = found[: query.limit]
    return as_json({"items": items, "next_cursor": str(items[-1]["id"]) if len(found) > len(items) else None})
