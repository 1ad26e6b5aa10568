"""A receiver of OpenTelemetry data, as a process that a test starts, freezes and kills."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.servers import collector_process
from tests.servers.processes import Server
from tests.servers.sessions import own_server


class Collector(Server):
    """Takes OTLP/HTTP in protobuf."""

    @property
    def url(self) -> str:
        """The base URL, without the path of a signal."""
        return f"http://127.0.0.1:{self.port}"

    def prepare(self) -> None:
        """Needs nothing but the folder."""

    def command(self) -> list[str]:
        program = str(Path(collector_process.__file__).resolve())
        return [sys.executable, program, "--port", str(self.port), "--home", str(self.home)]

    def answers(self, said: str) -> bool:
        return "the collector listens" in said

    def bodies(self, signal: str) -> list[bytes]:
        """The requests for a signal as they came."""
        return [path.read_bytes() for path in sorted(self.home.glob(f"{signal}-*.protobuf"))]

    def spans(self) -> list[Span]:
        """Every span that came."""
        requests = [ExportTraceServiceRequest.FromString(each) for each in self.bodies("traces")]
        return [
            span
            for each in requests
            for group in each.resource_spans
            for scope in group.scope_spans
            for span in scope.spans
        ]

    def results(self) -> list[LogRecord]:
        """Every log record that came."""
        requests = [ExportLogsServiceRequest.FromString(each) for each in self.bodies("logs")]
        return [
            record
            for each in requests
            for group in each.resource_logs
            for scope in group.scope_logs
            for record in scope.log_records
        ]

    def resources(self) -> list[Resource]:
        """Who sent spans."""
        requests = [ExportTraceServiceRequest.FromString(each) for each in self.bodies("traces")]
        return [group.resource for each in requests for group in each.resource_spans]


def attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    """Attributes by their names."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value") or "") for pair in pairs}


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A running one."""
    with own_server(Collector) as server:
        yield server
