"""`POST /v1/traces`: accepts spans from an OpenTelemetry exporter or Collector over OTLP/HTTP."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from consumers.errors import Unavailable
from consumers.pool.flight import PoolClosed
from consumers.wire.events import InvalidEvent
from service.api.access import CallingTenant, RunningService
from service.api.errors import ApiError
from service.api.events import read_body
from service.otlp import Export, read_otlp, without_foreign_spans
from service.otlp.responses import accepted, refused

PROTOBUF, JSON = "application/x-protobuf", "application/json"


class _OtlpRoute(APIRoute):
    """Sends errors as OTLP requires: a `google.rpc.Status` in the request's encoding; 503 when a retry may help."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wraps the route's handler to convert its errors."""
        handle = super().get_route_handler()

        async def handle_otlp(request: Request) -> Response:
            try:
                return await handle(request)
            except ApiError as error:
                return _error(request, error.status, error.body.message, error.headers)
            except InvalidEvent as error:
                return _error(request, 400, error.detail)
            except (Unavailable, PoolClosed) as error:
                return _error(request, 503, str(error), {"Retry-After": "2"})

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
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "An `ExportTraceServiceRequest`, uncompressed or gzip.",
        "content": {
            PROTOBUF: {"schema": {"type": "string", "format": "binary"}},
            JSON: {"schema": {"type": "object"}, "example": _EXAMPLE},
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
async def post_traces(request: Request, service: RunningService, caller: CallingTenant) -> Response:
    """Turns spans with SQL into events, joined with the question of their trace. OTLP/HTTP.

    200: every span is accepted, except those counted in `partialSuccess`. 503: send the same request again.
    """
    encoding = _encoding(request)
    async with read_body(request, service) as body:
        export = await asyncio.to_thread(_read, body, encoding, service, caller.tenant)
        rejected = await service.spans.accept(export, caller.tenant)
    service.metrics.spans_received(len(export.spans), rejected.count)
    content = accepted(rejected.count, rejected.fault, as_json=encoding.as_json)
    return Response(content, media_type=JSON if encoding.as_json else PROTOBUF)


@dataclass(frozen=True, slots=True)
class _Encoding:
    as_json: bool
    gzip: bool


def _encoding(request: Request) -> _Encoding:
    kind, packed = _kind(request), request.headers.get("content-encoding", "").strip().lower()
    if kind not in {PROTOBUF, JSON}:
        fix = f"Send {PROTOBUF} or {JSON}."
        raise ApiError(415, "UNSUPPORTED_MEDIA_TYPE", f"unsupported content type {kind!r}: {fix}", fix)
    if packed not in {"", "identity", "gzip"}:
        fix = "Send gzip, or no compression."
        raise ApiError(415, "UNSUPPORTED_ENCODING", f"unsupported content encoding {packed!r}: {fix}", fix)
    return _Encoding(kind == JSON, packed == "gzip")


def _kind(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _read(body: bytes, encoding: _Encoding, service: RunningService, tenant: str | None) -> Export:
    plain = decompress(body, service.settings.limits.max_body_bytes) if encoding.gzip else body
    table = service.settings.spans.table
    export = read_otlp(plain, table, as_json=encoding.as_json)
    return export if tenant is None else without_foreign_spans(export, tenant, table)


def decompress(body: bytes, most: int) -> bytes:
    """Decompresses gzip. Raises `ApiError` when it is invalid, or as soon as it exceeds `most` bytes."""
    parts, held, rest = list[bytes](), 0, body
    while rest:
        unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        try:
            part = unpacker.decompress(rest, most - held + 1)
        except zlib.error as error:
            raise _invalid_gzip(str(error)) from None
        held += len(part)
        if held > most:
            fix = "Send fewer spans at once."
            raise ApiError(413, "BODY_TOO_LARGE", f"the decompressed body is over {most} bytes: {fix}", fix)
        if not unpacker.eof:
            raise _invalid_gzip("it ends too early")
        parts.append(part)
        rest = unpacker.unused_data
    return b"".join(parts)


def _invalid_gzip(reason: str) -> ApiError:
    fix = "Send valid gzip, or leave out Content-Encoding."
    return ApiError(400, "INVALID_ENCODING", f"the body is not valid gzip ({reason}): {fix}", fix)


def _error(request: Request, status: int, message: str, headers: dict[str, str] | None = None) -> Response:
    as_json = _kind(request) == JSON
    content = refused(status, message, as_json=as_json)
    return Response(content, status, headers, media_type=JSON if as_json else PROTOBUF)
