"""`POST /v1/traces`: accepts spans from an OpenTelemetry exporter or Collector over OTLP/HTTP."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from consumers.errors import Unavailable
from consumers.pool.flight import PoolClosed
from consumers.wire.events import InvalidEvent, InvalidReason
from service.api.access import Publisher, RunningService
from service.api.bodies import Body, content_type, read_body
from service.api.caller import Caller
from service.api.errors import ApiError
from service.otlp import Export
from service.otlp.prepared_spans import ExportReader, explained_export
from service.otlp.responses import accepted, refused
from service.pipeline.running import Service
from service.pipeline.span_intake import Rejected

PROTOBUF, JSON = "application/x-protobuf", "application/json"
Result = TypeVar("Result")


REFUSALS = (ApiError, InvalidEvent, Unavailable, PoolClosed)
"""Why an export may be refused."""


def refusal_of(error: Exception) -> ApiError:
    """The refusal of an export for one of `REFUSALS`: a retry may help where it has `Retry-After`."""
    match error:
        case ApiError():
            return error
        case InvalidEvent():
            large = error.reason is InvalidReason.EVENT_TOO_LARGE
            return ApiError(413 if large else 400, error.reason.value, error.detail, "Send other spans.")
        case _:
            return ApiError(503, "UNAVAILABLE", str(error), "Send the spans again.", {"Retry-After": "2"})


class _OtlpRoute(APIRoute):
    """Sends errors as OTLP requires: a `google.rpc.Status` in the request's encoding; 503 when a retry may help."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wraps the route's handler to convert its errors."""
        handle = super().get_route_handler()

        async def handle_otlp(request: Request) -> Response:
            try:
                return await handle(request)
            except REFUSALS as error:
                return _error(request, refusal_of(error))

        return handle_otlp


router = APIRouter(tags=["events"], route_class=_OtlpRoute)

_EXAMPLE = {
    "resourceSpans": [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "atlas"}}]},
            "scopeSpans": [
                {
                    "spans": [
                        {
                            "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
                            "spanId": "00f067aa0ba902b7",
                            "startTimeUnixNano": "1793611800000000000",
                            "attributes": [
                                {"key": "sqlassay.question", "value": {"stringValue": "How many orders are open?"}},
                                {
                                    "key": "db.query.text",
                                    "value": {"stringValue": "SELECT COUNT(*) FROM orders WHERE status = 'open'"},
                                },
                            ],
                        }
                    ]
                }
            ],
        }
    ]
}
_EXPORT: dict[str, Any] = {
    "type": "object",
    "properties": {"resourceSpans": {"type": ["array", "null"]}},
    "anyOf": [{"required": ["resourceSpans"]}, {"maxProperties": 0}],
}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "An `ExportTraceServiceRequest`, uncompressed or gzip.",
        "content": {
            PROTOBUF: {"schema": {"type": "string", "format": "binary"}},
            JSON: {"schema": _EXPORT, "example": _EXAMPLE},
        },
    }
}
_STATUS: dict[str, Any] = {
    "type": "object",
    "properties": {"code": {"type": "integer"}, "message": {"type": "string"}},
}
_PARTIAL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "partialSuccess": {
            "type": "object",
            "properties": {"rejectedSpans": {"type": "string"}, "errorMessage": {"type": "string"}},
        }
    },
}


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {PROTOBUF: {"schema": {"type": "string", "format": "binary"}}, JSON: {"schema": schema}}


_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"description": text, "content": _content(_STATUS)}
    for status, text in {
        400: "Not trace data. A retry will not help.",
        401: "No valid token.",
        413: "Too large.",
        415: "Unsupported content type or encoding.",
        503: "Temporarily unavailable. Retry after `Retry-After` seconds.",
    }.items()
}


@router.post(
    "/v1/traces",
    response_class=Response,
    responses={200: {"description": "Accepted.", "content": _content(_PARTIAL)}, **_ERRORS},
    openapi_extra=_BODY,
    summary="Publish answers as OpenTelemetry spans",
)
async def post_traces(
    request: Request, service: RunningService, caller: Publisher, dry_run: Annotated[bool, Query()] = False
) -> Response:
    """Turns spans with SQL into events, joined with the question of their trace. OTLP/HTTP.

    200: every span is accepted, except those counted in `partialSuccess`. 503: send the same request again.
    With `dry_run=true` nothing is stored or counted. The reply says in JSON what was read from each span, and which
    answers the spans give or why they give none.
    """
    async with read_body(request, service, caller, {PROTOBUF, JSON}) as body:
        if dry_run:
            explained = await _read(body, service, caller, _explained_by(service))
            return Response(explained, media_type=JSON)
        rejected = await take_export(body, service, caller)
    content = accepted(rejected.count, rejected.fault, as_json=body.kind == JSON)
    return Response(content, media_type=body.kind)


async def take_export(body: Body, service: Service, caller: Caller) -> Rejected:
    """Takes the spans of a body, and counts them once the events that they complete are durable."""
    prepared = await _read(body, service, caller, service.spans.prepare)
    body.reserve(prepared.size)
    rejected = await service.spans.accept(prepared, caller.tenant)
    service.metrics.spans_received(prepared.count, rejected.count)
    return rejected


async def _read(body: Body, service: Service, caller: Caller, then: Callable[[Export], Result]) -> Result:
    """What is made of the spans that the sender may write."""
    reader = ExportReader(
        table=service.settings.spans.table,
        then=then,
        tenant=caller.tenant,
        as_json=body.kind == JSON,
        most_values=service.settings.limits.max_values,
    )
    return await service.reading.read(body.hold.sender, body.raw, reader)


def _explained_by(service: Service) -> Callable[[Export], bytes]:
    return partial(explained_export, service.settings.spans.table)


def _error(request: Request, error: ApiError) -> Response:
    as_json = content_type(request) == JSON
    content = refused(error.status, error.body.message, as_json=as_json)
    return Response(content, error.status, error.headers, media_type=JSON if as_json else PROTOBUF)
