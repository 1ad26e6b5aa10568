"""Exports traces and results with OpenTelemetry's SDK: over OTLP/HTTP, in batches, from separate threads."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from threading import Thread

from opentelemetry._logs import LogRecord, SeverityNumber
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, ReadableLogRecord
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor, LogRecordExporter, LogRecordExportResult
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from consumers.evaluation.event_evaluation import Evaluation
from consumers.evaluation.timings import StageTimings
from scoring import EVALUATOR_VERSION
from service.logs import log
from service.settings.observability_settings import TelemetrySettings
from service.telemetry.export_backlog import ExportBacklog
from service.telemetry.export_counts import Signal, TelemetryCounts
from service.telemetry.result_events import RESULT, Attributes, result_attributes
from service.telemetry.tracing import PUBLISH, SCORE

FLUSH_SECONDS = 5.0
"""Time to export the backlog when the process stops."""
_NAME = "sqlassay"
_CONTEXTS = TraceContextTextMapPropagator()
_KINDS = {SCORE: SpanKind.CONSUMER, PUBLISH: SpanKind.PRODUCER}


@dataclass(frozen=True, slots=True)
class ExportAccount:
    """The backlog of one signal and the counts of its exports."""

    signal: Signal
    backlog: ExportBacklog
    counts: TelemetryCounts

    def add(self, count: int) -> bool:
        """Adds `count` to the backlog; returns `False` and counts them as dropped where it is full."""
        added = self.backlog.add(count)
        if not added:
            self.counts.record_export(self.signal, "dropped", count)
        return added

    def record_batch(self, count: int, *, succeeded: bool) -> None:
        """Counts a batch as exported or failed."""
        self.counts.record_export(self.signal, "exported" if succeeded else "failed", count)


class CountedSpans(SpanExporter):
    """Exports spans and counts them by outcome."""

    def __init__(self, exporter: SpanExporter, account: ExportAccount) -> None:
        self._exporter, self._account = exporter, account

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Exports a batch."""
        self._account.backlog.remove(len(spans))
        result = self._exporter.export(spans)
        self._account.record_batch(len(spans), succeeded=result is SpanExportResult.SUCCESS)
        return result

    def shutdown(self) -> None:
        """Cancels the current export."""
        self._exporter.shutdown()


class CountedResults(LogRecordExporter):
    """Exports results and counts them by outcome."""

    def __init__(self, exporter: LogRecordExporter, account: ExportAccount) -> None:
        self._exporter, self._account = exporter, account

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Exports a batch."""
        self._account.backlog.remove(len(batch))
        result = self._exporter.export(batch)
        self._account.record_batch(len(batch), succeeded=result is LogRecordExportResult.SUCCESS)
        return result

    def shutdown(self) -> None:
        """Cancels the current export."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Returns at once: an exporter holds nothing."""
        return True


class OtlpTelemetry:
    """A `Telemetry` over OTLP."""

    def __init__(self, settings: TelemetrySettings, counts: TelemetryCounts) -> None:
        self._details = settings.details
        self._spans = ExportAccount("spans", ExportBacklog(settings.queue), counts)
        self._results = ExportAccount("results", ExportBacklog(settings.queue), counts)
        traces, logs = _endpoint(settings, "traces"), _endpoint(settings, "logs")
        self._exporters = (
            CountedSpans(OTLPSpanExporter(endpoint=traces), self._spans),
            CountedResults(OTLPLogExporter(endpoint=logs), self._results),
        )
        resource, queue = _resource(), settings.queue
        self._tracing = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._tracing.add_span_processor(BatchSpanProcessor(self._exporters[0], max_queue_size=queue))
        self._logging = LoggerProvider(resource=resource, shutdown_on_exit=False)
        self._logging.add_log_record_processor(BatchLogRecordProcessor(self._exporters[1], max_queue_size=queue))
        self._tracer = self._tracing.get_tracer(_NAME, EVALUATOR_VERSION)
        self._logger = self._logging.get_logger(_NAME, EVALUATOR_VERSION)

    def export_trace(self, name: str, timings: StageTimings, attributes: Attributes, error: str | None) -> None:
        """Exports a span of the event with a child span for each stage, unless the trace is not sampled."""
        zero = time.time_ns() - int(time.monotonic() * 1e9)
        began = zero + int(timings.began * 1e9)
        span = self._tracer.start_span(
            name, _context(timings.traceparent), _KINDS[name], attributes=attributes, start_time=began
        )
        if not span.is_recording() or not self._spans.add(1 + len(timings.stages)):
            return
        below = set_span_in_context(span, Context())
        for stage in timings.stages:
            part = self._tracer.start_span(stage.name, below, start_time=zero + int(stage.began * 1e9))
            part.end(zero + int(stage.ended * 1e9))
        _end_span(span, error)

    def export_result(self, evaluation: Evaluation) -> None:
        """Exports the result as an event of the answer's own span, if that is known."""
        if not self._results.add(1):
            return
        traceparent = evaluation.record.get("traceparent")
        self._logger.emit(
            LogRecord(
                timestamp=time.time_ns(),
                context=_context(traceparent if isinstance(traceparent, str) else None),
                severity_number=SeverityNumber.INFO,
                event_name=RESULT,
                attributes=result_attributes(evaluation, details=self._details),
            )
        )

    async def flush(self, seconds: float) -> None:
        """Exports the backlog, for at most `seconds`."""
        loop, flushed = asyncio.get_running_loop(), asyncio.Event()

        def close() -> None:
            self._tracing.shutdown()
            self._logging.shutdown()
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(flushed.set)

        # a daemon thread: the SDK's own would hold the process for over half a minute while a collector hangs
        Thread(target=close, name="flush-telemetry", daemon=True).start()
        try:
            async with asyncio.timeout(seconds):
                await flushed.wait()
        except TimeoutError:
            log.warning("telemetry_flush_timeout", spans=self._spans.backlog.size, results=self._results.backlog.size)
            for each in self._exporters:
                each.shutdown()


@asynccontextmanager
async def open_export(settings: TelemetrySettings, counts: TelemetryCounts) -> AsyncGenerator[OtlpTelemetry]:
    """Opens telemetry; on leaving it exports the backlog for at most `FLUSH_SECONDS`."""
    telemetry = OtlpTelemetry(settings, counts)
    try:
        yield telemetry
    finally:
        await telemetry.flush(FLUSH_SECONDS)


def _endpoint(settings: TelemetrySettings, signal: str) -> str | None:
    """The configured endpoint of a signal; `None` leaves it to OpenTelemetry's environment variables."""
    return f"{settings.endpoint.rstrip('/')}/v1/{signal}" if settings.endpoint is not None else None


def _resource() -> Resource:
    """The service's name and version, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES replace them."""
    own = {"service.name": _NAME, "service.version": version("sqlassay")}
    return Resource.create(own).merge(OTELResourceDetector().detect())


def _context(traceparent: str | None) -> Context:
    """The producer's trace, else a new one, independent of the current context."""
    return _CONTEXTS.extract({"traceparent": traceparent} if traceparent else {}, Context())


def _end_span(span: Span, error: str | None) -> None:
    if error is not None:
        span.set_status(Status(StatusCode.ERROR, error))
        span.set_attribute("error.type", error)
    span.end()
