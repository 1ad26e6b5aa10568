"""OpenTelemetry's SDK: traces and results over OTLP/HTTP, in batches, from threads of their own."""

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

from consumers.evaluation.evaluation import Evaluation
from consumers.evaluation.timings import StageTimings
from scoring import EVALUATOR_VERSION
from service.logs import log
from service.settings.observability_settings import TelemetrySettings
from service.telemetry.counts import Signal, TelemetryCounts
from service.telemetry.evaluations import RESULT, Attributes, result_attributes
from service.telemetry.following import PUBLISH, SCORE
from service.telemetry.waiting import Waiting

FLUSH_SECONDS = 5.0
"""What is left when the process stops gets so long to be exported."""
_NAME = "sqlassay"
_CONTEXTS = TraceContextTextMapPropagator()
_KINDS = {SCORE: SpanKind.CONSUMER, PUBLISH: SpanKind.PRODUCER}


@dataclass(frozen=True, slots=True)
class Exported:
    """What one signal's exporter is told of: how much waits, and what became of it."""

    signal: Signal
    waiting: Waiting
    counts: TelemetryCounts

    def admits(self, count: int) -> bool:
        """Whether so many more may wait; else they are counted as dropped."""
        admitted = self.waiting.admits(count)
        if not admitted:
            self.counts.told(self.signal, "dropped", count)
        return admitted

    def ended(self, count: int, *, well: bool) -> None:
        """So many were exported, or were not."""
        self.counts.told(self.signal, "exported" if well else "failed", count)


class CountedSpans(SpanExporter):
    """Exports spans and counts what became of them."""

    def __init__(self, exporter: SpanExporter, exported: Exported) -> None:
        self._exporter, self._exported = exporter, exported

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Exports a batch."""
        self._exported.waiting.leave(len(spans))
        result = self._exporter.export(spans)
        self._exported.ended(len(spans), well=result is SpanExportResult.SUCCESS)
        return result

    def shutdown(self) -> None:
        """Gives up what is being tried."""
        self._exporter.shutdown()


class CountedResults(LogRecordExporter):
    """Exports results and counts what became of them."""

    def __init__(self, exporter: LogRecordExporter, exported: Exported) -> None:
        self._exporter, self._exported = exporter, exported

    def export(self, batch: Sequence[ReadableLogRecord]) -> LogRecordExportResult:
        """Exports a batch."""
        self._exported.waiting.leave(len(batch))
        result = self._exporter.export(batch)
        self._exported.ended(len(batch), well=result is LogRecordExportResult.SUCCESS)
        return result

    def shutdown(self) -> None:
        """Gives up what is being tried."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        """Nothing waits in an exporter."""
        return True


class OtlpTelemetry:
    """A `Telemetry` over OTLP."""

    def __init__(self, settings: TelemetrySettings, counts: TelemetryCounts) -> None:
        self._spans = Exported("spans", Waiting(settings.queue), counts)
        self._results = Exported("results", Waiting(settings.queue), counts)
        traces, logs = _endpoint(settings, "traces"), _endpoint(settings, "logs")
        self._exporters = (
            CountedSpans(OTLPSpanExporter(endpoint=traces), self._spans),
            CountedResults(OTLPLogExporter(endpoint=logs), self._results),
        )
        resource, queue = _resource(), settings.queue
        self._tracing = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._tracing.add_span_processor(BatchSpanProcessor(self._exporters[0], max_queue_size=queue))
        self._telling = LoggerProvider(resource=resource, shutdown_on_exit=False)
        self._telling.add_log_record_processor(BatchLogRecordProcessor(self._exporters[1], max_queue_size=queue))
        self._tracer = self._tracing.get_tracer(_NAME, EVALUATOR_VERSION)
        self._logger = self._telling.get_logger(_NAME, EVALUATOR_VERSION)

    def draw(self, name: str, timings: StageTimings, attributes: Attributes, error: str | None) -> None:
        """One span of the whole way, with one below it for each stage; none if the trace is not sampled."""
        zero = time.time_ns() - int(time.monotonic() * 1e9)
        began = zero + int(timings.began * 1e9)
        span = self._tracer.start_span(
            name, _context(timings.traceparent), _KINDS[name], attributes=attributes, start_time=began
        )
        if not span.is_recording() or not self._spans.admits(1 + len(timings.stages)):
            return
        below = set_span_in_context(span, Context())
        for stage in timings.stages:
            part = self._tracer.start_span(stage.name, below, start_time=zero + int(stage.began * 1e9))
            part.end(zero + int(stage.ended * 1e9))
        _close(span, error)

    def tell(self, evaluation: Evaluation) -> None:
        """The result as an event of the answer's own span, where that is known."""
        if not self._results.admits(1):
            return
        traceparent = evaluation.record.get("traceparent")
        self._logger.emit(
            LogRecord(
                timestamp=time.time_ns(),
                context=_context(traceparent if isinstance(traceparent, str) else None),
                severity_number=SeverityNumber.INFO,
                event_name=RESULT,
                attributes=result_attributes(evaluation),
            )
        )

    async def flush(self, seconds: float) -> None:
        """Exports what waits, for so long at most."""
        loop, flushed = asyncio.get_running_loop(), asyncio.Event()

        def close() -> None:
            self._tracing.shutdown()
            self._telling.shutdown()
            with suppress(RuntimeError):  # the loop is gone: nobody waits any more
                loop.call_soon_threadsafe(flushed.set)

        # of the SDK's own, a collector that hangs would keep the process for half a minute and more
        Thread(target=close, name="flush-telemetry", daemon=True).start()
        try:
            async with asyncio.timeout(seconds):
                await flushed.wait()
        except TimeoutError:
            log.warning("telemetry_cut_short", spans=self._spans.waiting.held, results=self._results.waiting.held)
            for each in self._exporters:
                each.shutdown()


@asynccontextmanager
async def exporting(settings: TelemetrySettings, counts: TelemetryCounts) -> AsyncGenerator[OtlpTelemetry]:
    """Telemetry that exports until the context closes, and then what is left, for a while."""
    telemetry = OtlpTelemetry(settings, counts)
    try:
        yield telemetry
    finally:
        await telemetry.flush(FLUSH_SECONDS)


def _endpoint(settings: TelemetrySettings, signal: str) -> str | None:
    """The setting's for a signal; `None` leaves it to OpenTelemetry's environment."""
    return f"{settings.endpoint.rstrip('/')}/v1/{signal}" if settings.endpoint is not None else None


def _resource() -> Resource:
    """Who we are, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES say otherwise."""
    own = {"service.name": _NAME, "service.version": version("sqlassay")}
    return Resource.create(own).merge(OTELResourceDetector().detect())


def _context(traceparent: str | None) -> Context:
    """The producer's trace; a new one where there is none, whatever else this process is doing."""
    return _CONTEXTS.extract({"traceparent": traceparent} if traceparent else {}, Context())


def _close(span: Span, error: str | None) -> None:
    if error is not None:
        span.set_status(Status(StatusCode.ERROR, error))
        span.set_attribute("error.type", error)
    span.end()
