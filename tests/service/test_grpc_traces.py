"""OTLP over gRPC: a served process, and the exporters of the OpenTelemetry SDK."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any

import grpc
import httpx
import pytest
from google.rpc.error_details_pb2 import RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from service.otlp import write_protobuf
from tests.conftest import copied
from tests.served import served
from tests.servers.processes import free_port
from tests.service.test_api_traces import ANSWERED, ASKED, trace

pytestmark = pytest.mark.slow  # starts a service of its own
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
ANY, KITES = "any-tenant-token-for-tests", "kites-token-for-tests-only"
BODY = 16_384
OF_ONE_ANSWER = {"id", "event_id", "received_at", "occurred_at"}
"""What two rows that are scored alike do not share."""


@dataclass(frozen=True)
class Door:
    url: str
    target: str

    def exporter(self, token: str) -> GrpcExporter:
        return GrpcExporter(self.target, insecure=True, headers={"authorization": f"Bearer {token}"}, timeout=60)

    async def rows(self, question: str) -> list[dict[str, Any]]:
        async with httpx.AsyncClient(base_url=self.url, headers={"Authorization": f"Bearer {ANY}"}) as client:
            items = (await client.get("/v1/evaluations")).json()["items"]
        return [row for row in items if row["question"] == question]


@pytest.fixture(scope="module")
async def door(postgres_url, template) -> AsyncIterator[Door]:
    """A service with tokens, which has memory for one message at a time of each sender."""
    port = free_port()
    settings: dict[str, Any] = {
        "SQLASSAY_SPANS__GRPC_PORT": str(port),
        "SQLASSAY_HTTP__TOKENS": json.dumps({"*": ANY, "kites": KITES}),
        "SQLASSAY_LIMITS__MAX_BODY_BYTES": str(BODY),
        "SQLASSAY_LIMITS__MAX_PENDING_BYTES": str(2 * BODY),
    }
    async with copied(postgres_url, template) as database, served(database, **settings) as url:
        yield Door(url, f"127.0.0.1:{port}")


def spans(question: str) -> tuple[ReadableSpan, ...]:
    """The spans of an agent that runs a query."""
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    tracer = provider.get_tracer("atlas")
    asked = {"sqlassay.question": question, "gen_ai.agent.name": "atlas"}
    with tracer.start_as_current_span("answer", attributes=asked):
        tracer.start_span("query", attributes=ANSWERED).end()
    return kept.get_finished_spans()


async def export(exporter: SpanExporter, sent: tuple[ReadableSpan, ...]) -> SpanExportResult:
    try:
        return await asyncio.to_thread(exporter.export, sent)
    finally:
        await asyncio.to_thread(exporter.shutdown)


def call(door: Door, body: bytes, token: str) -> ExportTraceServiceResponse:
    with grpc.insecure_channel(door.target) as channel:
        reply = channel.unary_unary(EXPORT)(body, metadata=(("authorization", f"Bearer {token}"),), timeout=20)
    return ExportTraceServiceResponse.FromString(reply)


async def refusal(door: Door, body: bytes, token: str = ANY) -> tuple[grpc.StatusCode, str, Status | None]:
    with pytest.raises(grpc.RpcError) as failed:
        await asyncio.to_thread(call, door, body, token)
    error: Any = failed.value
    detail = dict(error.trailing_metadata()).get("grpc-status-details-bin")
    return error.code(), error.details(), None if detail is None else Status.FromString(detail)


async def test_spans_give_the_rows_of_the_http_door(door):
    asked = "How many orders are open by now?"
    assert await export(door.exporter(KITES), spans(asked)) is SpanExportResult.SUCCESS
    [mine] = await door.rows(asked)
    http = HttpExporter(f"{door.url}/v1/traces", headers={"Authorization": f"Bearer {KITES}"}, timeout=60)
    assert await export(http, spans(asked)) is SpanExportResult.SUCCESS
    [other] = [row for row in await door.rows(asked) if row["id"] != mine["id"]]
    assert (mine["tenant"], mine["agent"]) == ("kites", "atlas")
    assert mine["score"] is not None
    assert {name for name in mine if mine[name] != other[name]} <= OF_ONE_ANSWER


async def test_spans_of_another_tenant_are_a_partial_success(door):
    foreign = trace(ASKED | ANSWERED, resource={"sqlassay.tenant": "strings"})
    partial = (await asyncio.to_thread(call, door, write_protobuf(foreign), KITES)).partial_success
    assert partial.rejected_spans == 1
    assert "another tenant" in partial.error_message


async def test_a_caller_without_a_valid_token_is_unauthenticated(door):
    asked = "How many orders came from a stranger?"
    assert await export(door.exporter("unknown-token-for-tests"), spans(asked)) is SpanExportResult.FAILURE
    assert await door.rows(asked) == []
    # before its message is read: this one is too large
    code, says, status = await refusal(door, b"\0" * (BODY + 1), "unknown-token-for-tests")
    assert (code, says) == (grpc.StatusCode.UNAUTHENTICATED, "this token is not known")
    assert status is not None
    assert not status.details


async def test_what_no_retry_mends_is_refused_without_a_wait(door):
    code, says, status = await refusal(door, b"\xff\xff")
    assert code is grpc.StatusCode.INVALID_ARGUMENT
    assert "protobuf" in says
    assert status is not None
    assert not status.details
    code, _, status = await refusal(door, b"\0" * (BODY + 1))
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert status is None or not status.details


async def test_a_full_service_names_the_wait_and_the_exporter_sends_again(door):
    go_on = Event()

    def late() -> Iterator[bytes]:
        """A message that is long in coming."""
        go_on.wait()
        yield write_protobuf(trace(ASKED, ANSWERED))

    with grpc.insecure_channel(door.target) as channel:
        metadata = (("authorization", f"Bearer {ANY}"),)
        slow = channel.stream_unary(EXPORT).future(late(), metadata=metadata, timeout=30)
        try:
            while True:
                try:
                    await asyncio.to_thread(call, door, b"", ANY)
                except grpc.RpcError:
                    break
            code, _, status = await refusal(door, b"")
            asked = "How many orders came when it was full?"
            sending = asyncio.create_task(export(door.exporter(ANY), spans(asked)))
            await asyncio.sleep(0)
        finally:
            go_on.set()
        assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert status is not None
        wait = RetryInfo()
        assert status.details[0].Unpack(wait)
        assert wait.retry_delay.seconds == 1
        assert await sending is SpanExportResult.SUCCESS
        await asyncio.to_thread(slow.result)
    [row] = await door.rows(asked)
    assert row["score"] is not None
