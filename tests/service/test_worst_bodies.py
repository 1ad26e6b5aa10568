"""A real server under eight of the costliest bodies of each kind at once: its memory, and whether it still answers."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable
from typing import Any

import httpx
import psutil
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from sqlalchemy import URL

from tests.served import served

pytestmark = pytest.mark.alone

MIB = 1024 * 1024
CHART_LIMIT = 768 * MIB
"""`api.resources.limits.memory` of the chart."""
LARGE = 16_000_000
AT_ONCE = 8


def events(number: int, size: int, sql: str = "SELECT 1") -> bytes:
    one = b'{"event_id":"%d","question":"q","sql":"' + sql.encode() + b'"}'
    return b"[" + b",".join(one % each for each in range(number))[: size - 1] + b"]"


def export(**span: Any) -> bytes:
    return ExportTraceServiceRequest(resource_spans=[{"scope_spans": [{"spans": [span]}]}]).SerializeToString()  # pyright: ignore[reportArgumentType] messages as their fields


def _crowded_spans() -> bytes:
    span = {"trace_id": b"1" * 16, "span_id": b"2" * 8, "attributes": [{}] * 15}
    return export(**span) * 16_000


BODIES: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "empty objects": ("/v1/events", "application/json", lambda: b"[" + b"{}," * (LARGE // 3) + b"{}]"),
    "a million values": ("/v1/events", "application/json", lambda: b'[{"a":[' + b'{"a":1},' * 490_000 + b"1]}]"),
    "keys": (
        "/v1/events",
        "application/json",
        lambda: b"{" + b",".join(b'"k%07d":1' % each for each in range(900_000)) + b"}",
    ),
    "half events": ("/v1/events", "application/json", lambda: b"[" + b'{"question":"q"},' * 9_999 + b"{}]"),
    "lines": ("/v1/events", "application/x-ndjson", lambda: events(10_000, LARGE)[1:-1].replace(b"},{", b"}\n{")),
    "blank lines": ("/v1/events", "application/x-ndjson", lambda: b"\n" * LARGE),
    "wide text": ("/v1/events", "application/json", lambda: events(15, LARGE, "x" * 1_000_000 + "\U0001f600")),
    "not json": ("/v1/events", "application/json", lambda: b'["' + b"x" * LARGE),
    "brackets": ("/v1/events", "application/json", lambda: b"[" * LARGE),
    "labels": ("/v1/labels", "application/json", lambda: b"[" + b'{"label":1},' * 9_999 + b"{}]"),
    "otlp json": ("/v1/traces", "application/json", lambda: b'{"resourceSpans":[' + b"{}," * 499_000 + b"{}]}"),
    "empty resources": ("/v1/traces", "application/x-protobuf", lambda: b"\x0a\x00" * (LARGE // 2)),
    "small spans": ("/v1/traces", "application/x-protobuf", _crowded_spans),
    "empty attributes": ("/v1/traces", "application/x-protobuf", lambda: export(attributes=[{}] * 490_000) * 16),
    "gzip bomb": ("/v1/traces", "gzip", lambda: gzip.compress(b"\0" * 400_000_000, 1)),
    "gzip members": ("/v1/traces", "gzip", lambda: gzip.compress(b"", mtime=0) * 160_000),
}


class PeakMemory:
    """The most memory of a process and its children, asked for every 20 ms."""

    def __init__(self, port: int) -> None:
        listening = [each for each in psutil.net_connections("tcp") if each.laddr and each.laddr.port == port]
        self.process = psutil.Process(next(each.pid for each in listening if each.pid is not None))
        self.most = 0

    async def watch(self) -> None:
        while True:
            self.most = max(self.most, self.process.memory_info().rss)
            await asyncio.sleep(0.02)


@pytest.mark.slow
@pytest.mark.nightly  # most of a minute
async def test_the_costliest_bodies_fit_the_chart_s_memory_and_the_server_answers(database: URL):
    figures: dict[str, tuple[int, int, set[int]]] = {}
    async with served(database) as url, httpx.AsyncClient(base_url=url, timeout=120) as client:
        memory = PeakMemory(httpx.URL(url).port or 0)
        watching = asyncio.create_task(memory.watch())
        for name, (path, kind, build) in BODIES.items():
            body, answered, memory.most = build(), 0, 0
            headers = {"Content-Type": "application/x-protobuf" if kind == "gzip" else kind}
            headers |= {"Content-Encoding": "gzip"} if kind == "gzip" else {}
            sending = [asyncio.create_task(client.post(path, content=body, headers=headers)) for _ in range(AT_ONCE)]
            while not all(each.done() for each in sending):
                answered += (await client.get("/healthz")).is_success
            figures[name] = memory.most // MIB, answered, {(await each).status_code for each in sending}
        watching.cancel()
    print(json.dumps({name: (*figure[:2], sorted(figure[2])) for name, figure in figures.items()}, indent=1))
    assert max(most for most, _, _ in figures.values()) * MIB < CHART_LIMIT
    assert all(answered >= 1 for _, answered, _ in figures.values())
    assert {status for *_, statuses in figures.values() for status in statuses} <= {200, 202, 400, 413, 422, 503}
