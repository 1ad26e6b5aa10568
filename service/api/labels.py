"""Stores and lists labels: what reviewers say about answers."""

from __future__ import annotations

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel, ConfigDict, Field

from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.keep_labels import KeepLabels, LabelRecord
from consumers.wire.events import InvalidReason
from consumers.wire.labels import ErrorType, LabelDocument, LabelValue
from service.api.access import Reader, Reviewer, RunningService
from service.api.bodies import read_body
from service.api.caller import Caller
from service.api.errors import ApiError, ErrorBody, ErrorReply, errors
from service.api.evaluations import Name, Timestamp, utc
from service.api.events import LABEL_TYPES, EventError, nullable, read_records
from service.api.replies import as_json
from service.api.training import NDJSON, training_reply
from service.pipeline.running import Service
from service.settings.access_settings import AccessScope
from service.storage.audit import Actor, Via
from service.storage.label_store import LabelFilter, PostgresLabels, label_page
from service.storage.reviewing.training_labels import TrainingFilter
from service.storage.scores.evaluation_pages import MAX_PAGE

router = APIRouter(tags=["labels"])
_EXAMPLE = {
    "tenant": "meridian-retail",
    "agent": "atlas",
    "event_id": "7",
    "label": "wrong",
    "error_type": "filter",
    "note": "cancelled orders are counted too",
    "reviewer": "noor",
}


class LabelsReply(BaseModel):
    """The result for each label of a request."""

    kept: int = Field(description="Labels that are stored, by this request or before.")
    errors: list[EventError | None] = Field(description="For each label, in order: why it was not stored, or null.")


class LabelsRefusal(LabelsReply):
    """The same when no label was stored."""

    error: ErrorBody


class LabelItem(BaseModel):
    """A label with its event's current evaluation. The evaluation's fields are null when it is no longer stored."""

    model_config = ConfigDict(extra="allow")

    tenant: str
    source: str
    event_id: str
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
    evaluation_id: UUID | None
    agent: str | None
    question: str | None
    sql: str | None
    score: float | None
    p_correct: float | None


class LabelPage(BaseModel):
    """A page of labels."""

    items: list[LabelItem]
    next_cursor: str | None = Field(description="Send it as `cursor` for the next page. Null on the last page.")


class LabelFormat(StrEnum):
    """How labels are listed."""

    PAGE = "page"
    """A page of labels as JSON."""
    TRAINING = "training"
    """All labelled answers, one per line, as the commands read them that learn from labels."""


_OF_PAGES = frozenset({"label", "error_type", "limit", "cursor"})
"""Parameters that a training set does not take: it has both labels, and all answers."""


class LabelQuery(BaseModel):
    """The filters and page of a list of labels."""

    model_config = ConfigDict(extra="forbid")

    format: LabelFormat = Field(
        default=LabelFormat.PAGE,
        description="page: labels with their evaluations, as JSON. training: a line for each labelled answer, which"
        " `sqlassay learn calibrate` and `sqlassay eval judge` read; it takes no label, error_type, limit or cursor.",
    )

    tenant: Name | None = Field(default=None, description="Only this tenant.")
    agent: Name | None = Field(default=None, description="Only answers of this agent.")
    label: LabelValue | None = Field(default=None, description="Only labels with this value.")
    error_type: ErrorType | None = Field(default=None, description="Only labels with this error type.")
    reviewer: Name | None = Field(default=None, description="Only labels of this reviewer.")
    event_id: Annotated[str, Field(max_length=256, pattern=r"^[^\x00]*$")] | None = Field(
        default=None, description="Only labels of events with this id."
    )
    blind: bool | None = Field(
        default=None,
        description="true: only labels given before the judge's verdict was shown. false: only those after.",
    )
    since: Timestamp | None = Field(
        default=None, description="Only labels given at or after this time. A time without a zone is UTC."
    )
    until: Timestamp | None = Field(default=None, description="Only labels given before this time.")
    limit: int = Field(default=50, ge=1, le=MAX_PAGE, description="Labels per page.")
    cursor: str | None = Field(default=None, max_length=4000, description="next_cursor of the previous page.")


def _label_schema() -> dict[str, Any]:
    schema = LabelDocument.model_json_schema()
    kinds = schema.pop("$defs")
    for name, kind in (("label", "LabelValue"), ("error_type", "ErrorType")):
        described = schema["properties"][name].get("description")
        schema["properties"][name] = {"type": "string", "enum": kinds[kind]["enum"], "description": described}
    properties = schema["properties"]
    schema["properties"] = {
        name: each if name in schema["required"] else nullable(each) for name, each in properties.items()
    }
    return schema | {"anyOf": [{"required": ["evaluation_id"]}, {"required": ["event_id"]}]}


_SCHEMA = _label_schema()
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
    "/v1/labels",
    response_model=LabelsReply,
    responses=errors(400, 401, 413, 415) | {status: {"model": LabelsRefusal} for status in (403, 422)} | errors(503),
    openapi_extra=_BODY,
    summary="Label answers as right or wrong",
)
async def post_labels(request: Request, service: RunningService, caller: Reviewer) -> Response:
    """One label, a JSON array of them, or one per line (NDJSON).

    A reviewer has one label per event: the latest by `labelled_at`. Sending the same label again changes nothing.
    422: no label was stored. 503: no label was stored, send them again.
    """
    async with read_body(request, service, caller, LABEL_TYPES) as body:
        sent = await read_records(request, body, caller.tenant, service.settings.limits)
        now = datetime.now(UTC)
        records = [
            LabelRecord(
                payload=each.payload,
                tenant=caller.tenant,
                sent_at=now,
                may_state_probability=AccessScope.ADMIN in caller.scopes,
            )
            for each in sent
        ]
        store = PostgresLabels(service.engine, Actor(name=caller.name, via=Via.API))
        return _reply(await KeepLabels(store=store)(records))


def _reply(outcomes: list[Outcome | None]) -> Response:
    faults = [each for each in outcomes if each is not None]
    if any(each.kind is OutcomeKind.DEFERRED for each in faults):
        first = next(each for each in faults if each.kind is OutcomeKind.DEFERRED)
        fix = "Send the request again. Labels that are already stored do not change."
        body = ErrorReply(error=ErrorBody(code=first.reason, message=first.detail, fix=fix))
        return JSONResponse(body.model_dump(), 503, {"Retry-After": "2"})
    reply = LabelsReply(
        kept=len(outcomes) - len(faults),
        errors=[EventError(code=each.reason, message=each.detail) if each else None for each in outcomes],
    )
    if reply.kept:
        return JSONResponse(reply.model_dump(mode="json"))
    foreign = all(each.reason == InvalidReason.TENANT_NOT_ALLOWED.value for each in faults)
    message = f"every label was rejected. The first: {faults[0].detail}"
    error = ErrorBody(code=faults[0].reason, message=message, fix="Correct what each error names.")
    return JSONResponse(LabelsRefusal(**dict(reply), error=error).model_dump(mode="json"), 403 if foreign else 422)


_LINES: dict[str, Any] = {
    "description": "A page of labels; with format=training a line for each answer.",
    "content": {NDJSON: {"schema": {"type": "string"}}},
}


@router.get(
    "/v1/labels",
    response_model=LabelPage,
    responses={200: _LINES} | errors(400, 401, 403, 503),
    summary="List labels",
)
async def list_labels(query: Annotated[LabelQuery, Query()], service: RunningService, caller: Reader) -> Response:
    """Returns labels, newest first, each with its event's current evaluation.

    With `format=training` it returns labelled answers, one per line. The majority of an answer's reviewers decides
    its label; answers with as many labels right as wrong, and those whose texts are not stored, are left out.
    """
    if query.format is LabelFormat.TRAINING:
        return await _training(query, service, caller)
    given = query.model_dump(mode="json", exclude={"format", "tenant", "since", "until", "limit", "cursor"})
    wanted = LabelFilter(tenant=caller.only(query.tenant), since=utc(query.since), until=utc(query.until), **given)
    page = await label_page(service.engine, wanted, limit=query.limit, cursor=query.cursor)
    return as_json({"items": page.items, "next_cursor": page.next_cursor})


async def _training(query: LabelQuery, service: Service, caller: Caller) -> Response:
    foreign = sorted(_OF_PAGES & query.model_fields_set)
    if foreign:
        message = f"format=training takes no {', '.join(foreign)}: it has the right and the wrong answers, all of them"
        raise ApiError(400, "INVALID_PARAMETER", message, f"Leave out {', '.join(foreign)}, or format.")
    given = query.model_dump(include={"agent", "reviewer", "event_id", "blind"})
    tenant = caller.only(query.tenant)
    wanted = TrainingFilter(tenant=tenant, since=utc(query.since), until=utc(query.until), **given)
    return await training_reply(service.engine, wanted)
