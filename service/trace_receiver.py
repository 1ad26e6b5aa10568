"""OTLP over gRPC: `TraceService/Export`, with the tokens, limits and answers of `POST /v1/traces`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import NoReturn
from urllib.parse import unquote

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status

from consumers.errors import Unavailable
from service.api.access import CallOrigin, bearer
from service.api.bodies import BUSY, Body, busy
from service.api.errors import ApiError
from service.api.traces import PROTOBUF, REFUSALS, refusal_of, take_export
from service.logs import log
from service.otlp.responses import accepted, status_code
from service.pipeline.running import Service
from service.settings.access_settings import AccessScope

_SERVICE = "opentelemetry.proto.collector.trace.v1.TraceService"
_CODES = {each.value[0]: each for each in grpc.StatusCode}
_IDLE_SECONDS = 300
"""Seconds after which a connection without a call is closed; clients open it again by themselves."""
_Context = grpc.aio.ServicerContext[bytes, bytes]


@asynccontextmanager
async def receiving_traces(service: Service, port: int) -> AsyncGenerator[None]:
    """Listens. On leaving, calls in flight are finished. Raises `Unavailable` if the port is taken."""
    limits = service.settings.limits
    server = grpc.aio.server(
        options=[
            ("grpc.max_receive_message_length", limits.max_body_bytes),
            ("grpc.max_connection_idle_ms", _IDLE_SECONDS * 1000),
            # another process on the port is an error, as for HTTP
            ("grpc.so_reuseport", 0),
        ]
    )
    # a handler of streams begins before the message is read, so that only a caller with a token may send one
    export: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_unary_rpc_method_handler(_Receiver(service).export)
    server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(_SERVICE, {"Export": export})])
    host = service.settings.http.host
    place = f"[{host}]" if ":" in host else host
    try:
        bound = server.add_insecure_port(f"{place}:{port}")
    except RuntimeError as error:
        detail = f"cannot listen on {place}:{port}: free the port, or set SQLASSAY_SPANS__GRPC_PORT"
        raise Unavailable(detail) from error
    await server.start()
    log.info("serving_grpc", address=f"{place}:{bound}")
    try:
        yield
    finally:
        await server.stop(limits.shutdown_seconds)


class _Receiver:
    """Handles calls."""

    def __init__(self, service: Service) -> None:
        self._service = service

    async def export(self, messages: AsyncIterator[bytes], context: _Context) -> bytes:
        try:
            return await self._take(messages, context)
        except REFUSALS as error:
            refusal = refusal_of(error)
        except Exception as error:
            log.error("request_failed", method="gRPC", path=_SERVICE, exc_info=error)
            refusal = ApiError(500, "INTERNAL_ERROR", "the service failed on this request", "See its log.")
        return await _refuse(context, refusal)

    async def _take(self, messages: AsyncIterator[bytes], context: _Context) -> bytes:
        service, client = self._service, _address(context.peer())
        sent = {key: value for key, value in context.invocation_metadata() or () if isinstance(value, str)}
        caller = bearer(service, sent.get("authorization", ""), AccessScope.PUBLISH, CallOrigin(client, _SERVICE))
        hold = service.bodies.hold(caller.name or client)
        try:
            # how large the message is, is known when it is here
            if not hold.grow(service.settings.limits.max_body_bytes):
                raise busy()
            body = Body(raw=await self._receive(messages), kind=PROTOBUF, hold=hold)
            hold.release()
            body.reserve(len(body.raw))
            rejected = await take_export(body, service, caller)
        finally:
            hold.release()
        return accepted(rejected.count, rejected.fault, as_json=False)

    async def _receive(self, messages: AsyncIterator[bytes]) -> bytes:
        seconds = self._service.settings.limits.body_seconds
        try:
            async with asyncio.timeout(seconds):
                return await anext(messages, b"")
        except TimeoutError:
            message = f"the message did not arrive within {seconds:g} seconds"
            raise ApiError(408, "BODY_TOO_SLOW", message, "Send it again, smaller or faster.") from None


def _address(peer: str) -> str:
    """The address of a peer, which gRPC writes as a URL.

    >>> _address("ipv4:127.0.0.1:50312"), _address("ipv6:%5B::1%5D:50312")
    ('127.0.0.1', '::1')
    """
    return unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")


async def _refuse(context: _Context, refusal: ApiError) -> NoReturn:
    """Ends the call as OTLP says. A full service names the wait: without one, exporters give up."""
    code = _CODES[Code.RESOURCE_EXHAUSTED if refusal.body.code == BUSY else status_code(refusal.status)]
    status = Status(code=code.value[0], message=refusal.body.message)
    trailers: list[tuple[str, bytes]] = []
    wait = (refusal.headers or {}).get("Retry-After")
    if wait is not None:
        retry = RetryInfo(retry_delay=Duration(seconds=int(wait)))
        status.details.add().Pack(retry)
        # where the Python exporter looks for it
        trailers.append(("google.rpc.retryinfo-bin", retry.SerializeToString()))
    trailers.append(("grpc-status-details-bin", status.SerializeToString()))
    await context.abort(code, refusal.body.message, tuple(trailers))
