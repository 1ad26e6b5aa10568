"""Keeps and lists feedback: what the people who asked say about answers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.keep_feedback import FeedbackRecord, KeepFeedback
from consumers.wire.events import InvalidReason
from consumers.wire.feedback import FeedbackDocument, FeedbackKind, Thumb
from service.api.access import Publisher, Reader, RunningService
from service.api.bodies import read_body
from service.api.errors import ErrorBody, ErrorReply, errors
from service.api.evaluations import Name, Timestamp, utc
from service.api.events import LABEL_TYPES, EventError, nullable, read_records
from service.api.replies import as_json
from service.storage.feedback.feedback_reading import FeedbackFilter, feedback_page
from service.storage.feedback.feedback_store import PostgresFeedback
from service.storage.scores.evaluation_pages import MAX_PAGE

router = APIRouter(tags=["feedback"])
_EXAMPLE = {
    "tenant": "meridian-retail",
    "agent": "atlas",
    "event_id": "7",
    "thumb": "down",
    "comment": "This counts cancelled orders too.",
    "user": "u-1043",
}


class FeedbackReply(BaseModel):
    """The result for each feedback of a request."""

    kept: int = Field(description="Feedback that is stored, by this request or before.")
    errors: list[EventError | None] = Field(description="For each, in order: why it was not stored, or null.")


class FeedbackRefusal(FeedbackReply):
    """The same when nothing was stored."""

    error: ErrorBody


class FeedbackItem(BaseModel):
    """Feedback with its event's current evaluation. The evaluation's fields are null when none is stored."""

    model_config = ConfigDict(extra="allow")

    tenant: str
    feedback_id: str
    kind: FeedbackKind
    source: str | None
    event_id: str | None = Field(description="Null while the trace has no stored answer.")
    trace_id: str | None
    thumb: Thumb | None
    stars: int | None
    edited_sql: str | None
    comment: str | None
    user_id: str | None
    satisfied: bool | None = Field(description="What thumb, stars or edited SQL say; null where they say neither.")
    given_at: datetime
    evaluation_id: UUID | None
    agent: str | None
    question: str | None
    sql: str | None
    score: float | None
    p_correct: float | None


class FeedbackItems(BaseModel):
    """A page of feedback."""

    items: list[FeedbackItem]
    next_cursor: str | None = Field(description="Send it as `cursor` for the next page. Null on the last page.")


_Id = Annotated[str, Field(max_length=256, pattern=r"^[^\x00]*$")]


class FeedbackQuery(BaseModel):
    """The filters and page of a list of feedback."""

    model_config = ConfigDict(extra="forbid")

    tenant: Name | None = Field(default=None, description="Only this tenant.")
    agent: Name | None = Field(default=None, description="Only on answers of this agent.")
    event_id: _Id | None = Field(default=None, description="Only on events with this id.")
    trace_id: _Id | None = Field(default=None, description="Only feedback that names this trace.")
    satisfied: bool | None = Field(default=None, description="true: only satisfied people. false: only dissatisfied.")
    since: Timestamp | None = Field(
        default=None, description="Only feedback given at or after this time. A time without a zone is UTC."
    )
    until: Timestamp | None = Field(default=None, description="Only feedback given before this time.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE, description="Feedback per page.")
    cursor: str | None = Field(default=None, max_length=4000, description="next_cursor of the previous page.")


def _feedback_schema() -> dict[str, Any]:
    schema = FeedbackDocument.model_json_schema()
    kinds = schema.pop("$defs")
    for name, kind in (("kind", "FeedbackKind"), ("thumb", "Thumb")):
        described = schema["properties"][name].get("description")
        schema["properties"][name] = {"type": "string", "enum": kinds[kind]["enum"], "description": described}
    schema["properties"] = {name: nullable(each) for name, each in schema["properties"].items()}
    # one of each pair is needed, and null is as absent
    about = [{"required": [name], "properties": {name: {"type": "string"}}} for name in ("event_id", "trace_id")]
    said = {"thumb": "string", "stars": "integer", "edited_sql": "string", "comment": "string"}
    says = [{"required": [name], "properties": {name: {"type": kind}}} for name, kind in said.items()]
    return schema | {"allOf": [{"anyOf": about}, {"anyOf": says}]}


_SCHEMA = _feedback_schema()
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"oneOf": [_SCHEMA, {"type": "array", "items": _SCHEMA, "minItems": 1}]},
                "examples": {"one": {"value": _EXAMPLE}, "several": {"value": [_EXAMPLE]}},
            },
            "application/x-ndjson": {"schema": {"type": "string", "pattern": r"\S"}},
        },
    }
}


@router.post(
    "/v1/feedback",
    response_model=FeedbackReply,
    responses=errors(400, 401, 413, 415) | {status: {"model": FeedbackRefusal} for status in (403, 422)} | errors(503),
    openapi_extra=_BODY,
    summary="Send what people say about answers",
)
async def post_feedback(request: Request, service: RunningService, caller: Publisher) -> Response:
    """One feedback, a JSON array, or one per line (NDJSON). It may arrive before its event.

    Sending the same again changes nothing; of the same `feedback_id`, or of the same `user` and answer, the latest by
    `given_at` is kept. 422: nothing was stored. 503: nothing was stored, send it again.
    """
    async with read_body(request, service, caller, LABEL_TYPES) as body:
        sent = await read_records(request, body, caller.tenant, service.settings.limits)
        now = datetime.now(UTC)
        records = [FeedbackRecord(payload=each.payload, tenant=caller.tenant, sent_at=now) for each in sent]
        keep = KeepFeedback(store=PostgresFeedback(service.engine), rules=service.rules)
        return _reply(await keep(records))


def _reply(outcomes: list[Outcome | None]) -> Response:
    faults = [each for each in outcomes if each is not None]
    deferred = next((each for each in faults if each.kind is OutcomeKind.DEFERRED), None)
    if deferred is not None:
        fix = "Send the request again. Feedback that is already stored does not change."
        body = ErrorReply(error=ErrorBody(code=deferred.reason, message=deferred.detail, fix=fix))
        return JSONResponse(body.model_dump(), 503, {"Retry-After": "2"})
    reply = FeedbackReply(
        kept=len(outcomes) - len(faults),
        errors=[EventError(code=each.reason, message=each.detail) if each else None for each in outcomes],
    )
    if reply.kept:
        return JSONResponse(reply.model_dump(mode="json"))
    foreign = all(each.reason == InvalidReason.TENANT_NOT_ALLOWED.value for each in faults)
    message = f"all feedback was rejected. The first: {faults[0].detail}"
    error = ErrorBody(code=faults[0].reason, message=message, fix="Correct what each error names.")
    return JSONResponse(FeedbackRefusal(**dict(reply), error=error).model_dump(mode="json"), 403 if foreign else 422)


@router.get("/v1/feedback", response_model=FeedbackItems, responses=errors(400, 401, 403, 503), summary="List feedback")
async def list_feedback(query: Annotated[FeedbackQuery, Query()], service: RunningService, caller: Reader) -> Response:
    """Returns feedback, newest first, each with its event's current evaluation."""
    given = query.model_dump(mode="json", include={"agent", "event_id", "trace_id", "satisfied"})
    wanted = FeedbackFilter(tenant=caller.only(query.tenant), since=utc(query.since), until=utc(query.until), **given)
    page = await feedback_page(service.engine, wanted, limit=query.limit, cursor=query.cursor)
    return as_json({"items": page.items, "next_cursor": page.next_cursor})
