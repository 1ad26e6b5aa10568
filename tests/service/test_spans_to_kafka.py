from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from consumers.events import InvalidEvent, InvalidReason
from consumers.join_spans import JoinSpans
from consumers.outcomes import Outcome, OutcomeKind
from consumers.ports import Unavailable
from consumers.score_events import Record
from consumers.spans import JoinLimits, Span, SpanJoin, SpanTable
from service.metrics import Metrics
from service.otlp import Export, read_otlp
from service.settings import MetricSettings
from service.spans import SpansFromKafka, SpansToKafka

TABLE = SpanTable()


def span(trace: int, number: int, **attributes: str) -> Span:
    return Span(trace_id=f"{trace:032x}", span_id=f"{number:016x}", attributes=attributes)


@dataclass(slots=True)
class Topic:
    """Records by key, as they were acknowledged."""

    records: list[tuple[bytes, bytes, Mapping[str, str]]] = field(default_factory=list)

    async def produce(self, key: bytes, value: bytes, headers: Mapping[str, str]) -> None:
        self.records.append((key, value, headers))


async def test_each_trace_is_a_record_keyed_by_its_id_with_its_sender():
    topic = Topic()
    spans = [span(1, 1, **{"sqlassay.question": "q"}), span(2, 1), span(1, 2, **{"db.query.text": "s"})]
    rejected = await SpansToKafka(produce=topic.produce).take(Export(spans=spans, rejected=1, fault="no id"), "kites")
    assert (rejected.count, rejected.fault) == (1, "no id")
    assert [(key, headers) for key, _, headers in topic.records] == [
        (spans[0].trace_id.encode(), {"sqlassay-tenant": "kites"}),
        (spans[1].trace_id.encode(), {"sqlassay-tenant": "kites"}),
    ]
    assert list(read_otlp(topic.records[0][1], TABLE).spans) == [spans[0], spans[2]]


async def test_a_large_trace_is_several_records_and_a_span_too_large_for_one_is_rejected():
    topic = Topic()
    texts = ["x" * 400, "y" * 5000, *("z" * 400 for _ in range(6))]
    spans = [span(1, number, **{"db.query.text": text}) for number, text in enumerate(texts, 1)]
    rejected = await SpansToKafka(produce=topic.produce, most_bytes=1024).take(Export(spans=spans), None)
    assert rejected.count == 1
    assert "1024" in rejected.fault
    assert all(len(value) <= 1024 for _, value, _ in topic.records)
    sent = [each for _, value, _ in topic.records for each in read_otlp(value, TABLE).spans]
    assert sent == [spans[0], *spans[2:]]


async def test_spans_that_kafka_does_not_acknowledge_must_be_sent_again():
    async def produce(key: bytes, value: bytes, headers: Mapping[str, str]) -> None:
        raise Unavailable("Kafka does not answer")

    with pytest.raises(Unavailable):
        await SpansToKafka(produce=produce).take(Export(spans=[span(1, 1)]), None)


def from_kafka() -> tuple[SpansFromKafka, list[Record]]:
    submitted: list[Record] = []

    async def submit(records: list[Record]) -> list[asyncio.Future[Outcome]]:
        submitted.extend(records)
        receipts = [asyncio.get_running_loop().create_future() for _ in records]
        for receipt in receipts:
            receipt.set_result(Outcome(kind=OutcomeKind.SCORED))
        return receipts

    join = SpanJoin(TABLE, JoinLimits())
    joined = JoinSpans(join, submit, asyncio.get_running_loop().time)
    metrics = Metrics(MetricSettings(), judge="local")
    return SpansFromKafka(joined=joined, table=TABLE, metrics=metrics, max_bytes=10_000), submitted


async def test_what_was_written_to_the_topic_and_what_the_collector_writes_in_json_is_joined():
    topic = Topic()
    asked, answered = span(1, 1, **{"sqlassay.question": "q"}), span(1, 2, **{"db.query.text": "SELECT 1"})
    await SpansToKafka(produce=topic.produce).take(Export(spans=[asked]), "kites")
    [(_, value, headers)] = topic.records
    spans, submitted = from_kafka()
    first = await spans.take(value, [(name, text.encode()) for name, text in headers.items()])
    document = {
        "traceId": answered.trace_id,
        "spanId": answered.span_id,
        "parentSpanId": asked.span_id,
        "attributes": [{"key": "db.query.text", "value": {"stringValue": "SELECT 1"}}],
    }
    collector = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [document]}]}]}).encode()
    second = await spans.take(collector, [("sqlassay-tenant", b"kites"), ("other", b"\xff")])
    await spans.joined.close()
    await asyncio.gather(first, second)
    [record] = submitted
    assert (record.payload["question"], record.payload["sql"], record.tenant) == ("q", "SELECT 1", "kites")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, InvalidReason.NO_VALUE),
        (b"\xff", InvalidReason.NOT_OTLP),
        (b"{}", InvalidReason.NOT_OTLP),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]}', InvalidReason.NOT_OTLP),
        (b"\0" * 20_000, InvalidReason.EVENT_TOO_LARGE),
    ],
)
async def test_a_record_without_spans_is_a_dead_letter(value, reason):
    spans, _ = from_kafka()
    with pytest.raises(InvalidEvent) as refusal:
        await spans.take(value, [])
    assert refusal.value.reason is reason
