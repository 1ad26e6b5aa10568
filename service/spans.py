"""Where the spans of an HTTP request go: into this process's own join, or to Kafka for the workers'."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol

from consumers.envelopes import Headers
from consumers.events import InvalidEvent, InvalidReason, refuse_large
from consumers.join_spans import JoinSpans, Submit
from consumers.outcomes import OutcomeKind
from consumers.ports import Unavailable
from consumers.spans import JoinLimits, Span, SpanJoin, SpanTable
from service.logs import log
from service.metrics import Metrics
from service.otlp import Export, read_otlp, write_protobuf
from service.settings import SpanSettings

TENANT_HEADER = "sqlassay-tenant"
"""Of a record of spans: the only tenant its sender may write for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """How many spans of an export can never become an event, and why the first cannot."""

    count: int = 0
    fault: str = ""


class SpanIntake(Protocol):
    """Takes spans of an exporter."""

    async def take(self, export: Export, tenant: str | None) -> Rejected:
        """Takes them; raises `Unavailable` where they must be sent again."""
        ...


@asynccontextmanager
async def joining(
    settings: SpanSettings, submit: Submit, metrics: Metrics, *, patience: float
) -> AsyncGenerator[JoinSpans]:
    """A running join; on leaving, what it holds is stored, joined as far as it is, if `patience` seconds suffice."""
    limits = JoinLimits(seconds=settings.window, spans=settings.most, characters=settings.bytes)
    joined = JoinSpans(SpanJoin(settings.table, limits), submit, time.monotonic)
    metrics.spans_waiting.set_function(lambda: joined.spans)
    running = asyncio.create_task(joined.run(), name="join-spans")
    try:
        yield joined
        await _finish(joined, patience)
    finally:
        running.cancel()
        joined.forget()
        with suppress(asyncio.CancelledError):
            await running


async def _finish(joined: JoinSpans, patience: float) -> None:
    try:
        async with asyncio.timeout(patience):
            await joined.close()
    except TimeoutError:
        log.warning("events_of_spans_lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansInMemory:
    """Joins in this process; what waits for the rest of its trace is lost with the process."""

    joined: JoinSpans
    patience: float = 5.0
    """Seconds to wait until the events that are complete are durable."""

    async def take(self, export: Export, tenant: str | None) -> Rejected:
        """Takes them, and waits until every event that they complete is durable; raises `Unavailable`."""
        try:
            async with asyncio.timeout(self.patience):
                taken = await self.joined.take(export.spans, tenant=tenant)
                outcomes = await taken.stored()
        except TimeoutError:
            raise Unavailable("events of these spans are not stored yet: send them again") from None
        dead = [each for each in outcomes if each.kind is OutcomeKind.DEAD_LETTERED]
        fault = export.fault or (dead[0].detail if dead else "")
        return Rejected(count=export.rejected + len(dead), fault=fault)


class Produce(Protocol):
    """Writes one record to the topic of spans."""

    def __call__(self, key: bytes, value: bytes, headers: Mapping[str, str], /) -> Awaitable[None]:
        """Returns when all replicas have it; raises `Unavailable`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansToKafka:
    """Writes them to the topic that the workers join, a trace at a time, so that one worker sees all of it."""

    produce: Produce
    most_bytes: int = 512 * 1024
    """Largest record."""

    async def take(self, export: Export, tenant: str | None) -> Rejected:
        """Takes them once every record is acknowledged; raises `Unavailable`."""
        headers = {} if tenant is None else {TENANT_HEADER: tenant}
        rejected, fault, sending = export.rejected, export.fault, list[Awaitable[None]]()
        for trace_id, spans in _traces(export.spans).items():
            for value, count in _records(spans, self.most_bytes):
                if len(value) > self.most_bytes:
                    rejected += count
                    fault = fault or f"a span has {len(value)} bytes: at most {self.most_bytes} are accepted"
                else:
                    sending.append(self.produce(trace_id.encode(), value, headers))
        await asyncio.gather(*sending)
        return Rejected(count=rejected, fault=fault)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpansFromKafka:
    """Joins what stands on the topic of spans: what `SpansToKafka` wrote, or the Collector's Kafka exporter."""

    joined: JoinSpans
    table: SpanTable
    metrics: Metrics
    max_bytes: int

    async def take(self, value: bytes | None, headers: Headers) -> asyncio.Future[None]:
        """Takes one record; its offset may be committed when the receipt resolves. Raises `InvalidEvent`."""
        export = await asyncio.to_thread(self._read, value)
        self.metrics.spanned(len(export.spans), export.rejected)
        if export.rejected and not export.spans:
            raise InvalidEvent(InvalidReason.NOT_OTLP, f"no span of the record can be read: {export.fault}")
        return (await self.joined.take(export.spans, tenant=_sender(headers))).done

    def _read(self, value: bytes | None) -> Export:
        if value is None:
            raise InvalidEvent(InvalidReason.NO_VALUE, "the record has no value (a tombstone): send spans")
        refuse_large(len(value), self.max_bytes)
        return read_otlp(value, self.table)


def _sender(headers: Headers) -> str | None:
    said = next((raw for name, raw in headers if name == TENANT_HEADER and raw), None)
    return None if said is None else said.decode("utf-8", "replace")


def _traces(spans: Sequence[Span]) -> dict[str, list[Span]]:
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, []).append(span)
    return traces


def _records(spans: Sequence[Span], most_bytes: int) -> Iterator[tuple[bytes, int]]:
    """The spans as records of at most `most_bytes`, halved as often as need be; one span alone may be larger."""
    pending = [spans]
    while pending:
        part = pending.pop()
        value = write_protobuf(part)
        if len(value) > most_bytes and len(part) > 1:
            half = len(part) // 2
            pending += [part[half:], part[:half]]
        else:
            yield value, len(part)
