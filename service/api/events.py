"""`POST /v1/events`: accepts events, and replies once their rows are committed or the stream has them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, cast
from uuid import UUID

import orjson
from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from consumers.decoding import Record
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.wire.envelopes import BATCH, STRUCTURED, Headers, looks_structured
from consumers.wire.events import InvalidEvent, InvalidReason, QueryEvent, parse_json
from service.api.access import Publisher, RunningService
from service.api.bodies import Body, content_type, read_body
from service.api.errors import ApiError, ErrorBody, errors
from service.pipeline.event_intake import Published
from service.settings.intake_settings import LimitSettings

router = APIRouter(tags=["events"])

_JSON = "application/json"
_NDJSON = {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
EVENT_TYPES = frozenset({_JSON, STRUCTURED, BATCH}) | _NDJSON
LABEL_TYPES = frozenset({_JSON}) | _NDJSON
_EVENT_BYTES = 3000
"""Memory of a decoded event, beside its texts."""
_EXAMPLE = {
    "event_id": "orders-7f3a",
    "tenant": "meridian-retail",
    "agent": "atlas",
    "agent_version": "2.4.0",
    "occurred_at": "2026-11-02T09:30:00Z",
    "question": "How many orders did we ship to Norway last month?",
    "enriched_question": "Count the orders shipped to Norway in October 2026.",
    "sql": "SELECT COUNT(*) FROM orders WHERE country = 'Norway' AND shipped_at >= '2026-10-01'"
    " AND shipped_at < '2026-11-01'",
    "dialect": "postgres",
}


class EventStatus(StrEnum):
    """The result of one event of a request."""

    PUBLISHED = "published"
    SCORED = "scored"
    UNSCORED = "unscored"
    DUPLICATE = "duplicate"
    REJECTED = "rejected"
    DEFERRED = "deferred"


class EventError(BaseModel):
    """Why an event has no score."""

    code: str = Field(description="An InvalidReason, UnscoredReason or DeferredReason.", examples=["INVALID_FIELD"])
    message: str = Field(description="Why, in one line.")


class EventResult(BaseModel):
    """The result of one event. Results have the order of the events."""

    event_id: str | None = Field(description="Null when the record has no id.")
    status: EventStatus = Field(
        description="The service keeps published, scored, unscored and duplicate events, and not the others."
    )
    evaluation_id: UUID | None = Field(description="The stored row. For a duplicate, the row of the first event.")
    score: float | None = Field(description="Φ, 0 to 100.")
    error: EventError | None = Field(description="Why the event is unscored, rejected or deferred.")


class EventsReply(BaseModel):
    """The result of every event of a request."""

    accepted: int = Field(description="Events that are stored or published, by this request or before.")
    rejected: int = Field(description="Invalid events, which can never be stored.")
    results: list[EventResult]


class EventsRefusal(EventsReply):
    """The same when no event was accepted, or when the request has to be sent again."""

    error: ErrorBody


_STATUSES = {
    OutcomeKind.SCORED: EventStatus.SCORED,
    OutcomeKind.UNSCORED: EventStatus.UNSCORED,
    OutcomeKind.DUPLICATE: EventStatus.DUPLICATE,
    OutcomeKind.DEAD_LETTERED: EventStatus.REJECTED,
    OutcomeKind.DEFERRED: EventStatus.DEFERRED,
}


_CASE_ID = {"type": "string", "minLength": 1, "maxLength": 256, "title": "case_id"}


def _event_schema() -> dict[str, Any]:
    schema = QueryEvent.model_json_schema()
    # definitions of its own would be none of this document
    definitions = schema.pop("$defs")
    schema["properties"]["result"]["anyOf"][0] = definitions["ResultDocument"]
    schema["properties"]["history"]["anyOf"][0]["items"] = definitions["TurnDocument"]
    canary = definitions["CanaryDocument"]
    canary["properties"]["failure"]["anyOf"][0] = definitions["CanaryFailure"]
    schema["properties"]["canary"]["anyOf"] = [canary, _CASE_ID, {"type": "null"}]
    schema["properties"]["attributes"]["additionalProperties"] = {}
    for name in ("event_id", "source"):
        del schema["properties"][name]["default"]
    schema["properties"] = {
        # null is as absent, and an answer of null is an empty one
        name: each if name in {"event_id", "question"} else nullable(each)
        for name, each in schema["properties"].items()
    }
    # blank or null is as absent: the content is hashed
    given = schema["properties"]["event_id"] | {"minLength": 0}
    schema["properties"]["event_id"] = {"anyOf": [given, {"type": "integer"}, {"type": "null"}]}
    return schema


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a field that may be null."""
    null = {"type": "null"}
    if null in schema.get("anyOf", ()):
        return schema
    said = {name: schema[name] for name in ("title", "description", "default") if name in schema}
    rest = {name: each for name, each in schema.items() if name not in said}
    return {"anyOf": [rest, null], **said}


def _cloud_event_schema() -> dict[str, Any]:
    said = {"type": "string", "pattern": r"\S"}
    named = dict.fromkeys(("id", "source", "type"), said)
    # a trace that is not W3C's is ignored, and a key is not read
    named |= {name: {} for name in ("partitionkey", "traceparent")}
    event = _event_schema()
    # the attributes of the envelope take their place, whatever they are
    fields = {name: each for name, each in event["properties"].items() if name not in {"event_id", "source"}}
    return {
        "type": "object",
        "required": ["specversion", "id", "source", "type", "data"],
        "properties": {
            **named,
            "specversion": {"const": "1.0"},
            "time": {"anyOf": [{"type": "string", "format": "date-time"}, {"const": ""}, {"type": "null"}]},
            "sampledrate": {
                "anyOf": [
                    {"type": "integer", "minimum": 1, "maximum": 999_999_999},
                    {"type": "string", "pattern": "^0*[1-9][0-9]*$", "maxLength": 9},
                    {"type": "null"},
                ]
            },
            "data": event | {"properties": fields, "required": ["question", "sql"]},
        },
    }


_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {"oneOf": [_event_schema(), {"type": "array", "items": _event_schema(), "minItems": 1}]},
                "examples": {"one": {"value": _EXAMPLE}, "several": {"value": [_EXAMPLE]}},
            },
            "application/x-ndjson": {
                "schema": {"type": "string", "pattern": r"\S"},
                "example": orjson.dumps(_EXAMPLE, option=orjson.OPT_APPEND_NEWLINE).decode(),
            },
            STRUCTURED: {"schema": _cloud_event_schema()},
            BATCH: {"schema": {"type": "array", "items": _cloud_event_schema(), "minItems": 1}},
        },
    }
}


@router.post(
    "/v1/events",
    status_code=202,
    response_model=EventsReply,
    responses=errors(400, 401, 413, 415) | {status: {"model": EventsRefusal} for status in (403, 422, 503)},
    openapi_extra=_BODY,
    summary="Publish answers to score",
)
async def post_events(request: Request, service: RunningService, caller: Publisher) -> JSONResponse:
    """Accepts one event, a JSON array, one event per line (NDJSON), or CloudEvents: one, a batch, or `ce-…` headers.

    Replies when every row is committed or, with Kafka, when the stream has every event. The reply has one result per
    event, in order. 202: at least one event is stored or published. 422: every event was rejected. 503: send the whole
    request again; nothing is lost.
    """
    async with read_body(request, service, caller, _types(request)) as body:
        records = await read_records(request, body, caller.tenant, service.settings.limits)
        outcomes = await service.events.accept(records)
    return _reply(outcomes)


def _types(request: Request) -> frozenset[str]:
    """The media types of a request: with `ce-…` headers a body is one event's data, of any JSON type."""
    kind, binary = content_type(request), any(name.startswith(b"ce-") for name, _ in request.headers.raw)
    data = {kind} if binary and (kind == "text/json" or kind.endswith("+json")) else set[str]()
    return EVENT_TYPES | data


async def read_records(request: Request, body: Body, tenant: str | None, limits: LimitSettings) -> list[Record]:
    """Splits a body into records by its content type. Raises `ApiError` when it has none, or too many."""
    kind = body.kind
    # the trace belongs to the request, not to one event: when it is invalid, the events must not suffer
    trace = [("traceparent", raw) for name, raw in request.headers.raw if name == b"traceparent" and raw.isascii()]
    binary = _binary_headers(request, kind, trace)
    payloads: list[object] = [body.raw] if binary is not None else await _payloads(body, limits)
    if not payloads:
        raise ApiError(400, "NO_EVENTS", "the body has no event", "Send at least one event.")
    if len(payloads) > limits.max_events:
        message = f"the body has {len(payloads)} events, more than {limits.max_events}"
        raise ApiError(413, "TOO_MANY_EVENTS", message, "Send fewer events at once.")
    body.reserve(len(payloads) * _EVENT_BYTES)
    size = len(body.raw) // len(payloads)
    return [
        Record(payload=each, headers=binary or _headers(each, kind, trace), tenant=tenant, size=size)
        for each in payloads
    ]


def _binary_headers(request: Request, kind: str, trace: list[tuple[str, bytes]]) -> list[tuple[str, bytes]] | None:
    """The headers of a CloudEvent in binary mode, or None for any other request."""
    headers = [(name.decode("latin-1"), raw) for name, raw in request.headers.raw if name.startswith(b"ce-")]
    return [*headers, ("content-type", kind.encode()), *trace] if headers else None


async def _payloads(body: Body, limits: LimitSettings) -> list[object]:
    if body.kind not in _NDJSON:
        return await body.parse_json(lambda: _read_json(body.raw), limits.max_values)
    if body.raw.count(b"\n") > 2 * limits.max_events:
        message = f"the body has more than {2 * limits.max_events} lines"
        raise ApiError(413, "TOO_MANY_EVENTS", message, "Send fewer events at once.")
    body.reserve(len(body.raw))
    return [line for line in body.raw.split(b"\n") if line.strip()]


def _headers(payload: object, kind: str, trace: list[tuple[str, bytes]]) -> Headers | None:
    """The headers of one event in a body: a structured CloudEvent's, the trace of the request, or None."""
    structured = kind in {STRUCTURED, BATCH} or looks_structured(payload)
    return [("content-type", STRUCTURED.encode()), *trace] if structured else trace or None


def _read_json(body: bytes) -> list[object]:
    try:
        parsed = parse_json(body)
    except InvalidEvent as error:
        fix = "Send one JSON object, a JSON array, or NDJSON with the content type application/x-ndjson."
        raise ApiError(400, error.reason.value, error.detail, fix) from error
    return cast("list[object]", parsed) if isinstance(parsed, list) else [parsed]


def _reply(results: Sequence[Outcome | Published]) -> JSONResponse:
    outcomes = [each for each in results if isinstance(each, Outcome)]
    rejected = [each.kind for each in outcomes].count(OutcomeKind.DEAD_LETTERED)
    lost = [each for each in outcomes if _is_lost(each)]
    accepted = len(results) - rejected - len(lost)
    reply = EventsReply(accepted=accepted, rejected=rejected, results=[_result(each) for each in results])
    if lost:
        message = f"{len(lost)} of {len(results)} events could not be stored: {lost[0].detail}"
        fix = "Send the request again. Events that were stored will be duplicates."
        error = ErrorBody(code=lost[0].reason, message=message, fix=fix)
        return _error_reply(503, reply, error, {"Retry-After": "2"})
    if not accepted:
        foreign = all(each.reason == InvalidReason.TENANT_NOT_ALLOWED.value for each in outcomes)
        message = f"every event was rejected. The first: {outcomes[0].detail}"
        error = ErrorBody(code=outcomes[0].reason, message=message, fix="Correct what each result's error names.")
        return _error_reply(403 if foreign else 422, reply, error)
    return JSONResponse(reply.model_dump(mode="json"), 202)


def _error_reply(
    status: int, reply: EventsReply, error: ErrorBody, headers: dict[str, str] | None = None
) -> JSONResponse:
    return JSONResponse(EventsRefusal(**dict(reply), error=error).model_dump(mode="json"), status, headers)


def _is_lost(outcome: Outcome) -> bool:
    return outcome.kind is OutcomeKind.DEFERRED and not outcome.kept


def _result(outcome: Outcome | Published) -> EventResult:
    if isinstance(outcome, Published):
        published = EventStatus.PUBLISHED
        return EventResult(event_id=outcome.event_id, status=published, evaluation_id=None, score=None, error=None)
    return EventResult(
        event_id=outcome.event_id,
        status=_STATUSES[outcome.kind],
        evaluation_id=outcome.evaluation_id,
        score=outcome.score,
        error=EventError(code=outcome.reason, message=outcome.detail) if outcome.reason else None,
    )
