"""Responses to exporters, in the encoding of their request."""

from __future__ import annotations

import orjson
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)

_CODES: dict[int, Code] = {
    401: Code.UNAUTHENTICATED,
    403: Code.PERMISSION_DENIED,
    413: Code.RESOURCE_EXHAUSTED,
    500: Code.INTERNAL,
    503: Code.UNAVAILABLE,
}


def accepted(rejected: int, fault: str, *, as_json: bool) -> bytes:
    """The response to an export of which all but `rejected` spans were accepted."""
    if as_json:
        # OTLP in JSON writes 64-bit numbers as text
        partial = {"partialSuccess": {"rejectedSpans": str(rejected), "errorMessage": fault}} if rejected else {}
        return orjson.dumps(partial)
    if not rejected:
        return b""
    success = ExportTracePartialSuccess(rejected_spans=rejected, error_message=fault)
    return _bytes(ExportTraceServiceResponse(partial_success=success))


def status_code(status: int) -> Code:
    """The code of gRPC for an HTTP status."""
    return _CODES.get(status, Code.INVALID_ARGUMENT)


def refused(status: int, message: str, *, as_json: bool) -> bytes:
    """The `google.rpc.Status` of an HTTP status."""
    code = status_code(status)
    return (
        orjson.dumps({"code": int(code), "message": message}) if as_json else _bytes(Status(code=code, message=message))
    )


def _bytes(message: Message) -> bytes:
    return message.SerializeToString()
