from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from consumers.decoding import Record
from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Outcome, OutcomeKind
from consumers.keep_feedback import Feedback, KeepFeedback
from consumers.spans import JoinLimits, Span, SpanEvent, SpanJoin, SpanTable, TraceKey
from consumers.spans.join_spans import JoinSpans
from consumers.stream.ports import Message
from consumers.wire.events import InvalidEvent, InvalidReason
from service.metrics import Metrics
from service.otlp import Export, read_otlp
from service.pipeline.span_feedback import KeepSpanFeedback
from service.pipeline.span_intake import PublishSpanDeadLetter, Rejected, SpansFromKafka, SpansToKafka
from service.processes.apart import ReadingApart
from service.settings.observability_settings import MetricSettings
from tests.memory.stores import MemoryRules

TABLE = SpanTable()


def span(trace: int, number: int, **attributes: str) -> Span:
    return Span(trace_id=f"{trace:032x}", span_id=f"{number:016x}", attributes=attributes)


@dataclass(slots=True)
class Topics:
    """A `Publisher` that keeps what was acknowledged; over `most` bytes is too large."""

    most: int = 1_000_000
    messages: list[Message] = field(default_factory=list[Message])

    async def publish(self, messages: Sequence[Message]) -> list[int]:
        self.messages += [each for each in messages if len(each.value or b"") <= self.most]
        return [place for place, each in enumerate(messages) if len(each.value or b"") > self.most]


async def sent_to(to_kafka: SpansToKafka, export: Export, tenant: str | None) -> Rejected:
    return await to_kafka.accept(to_kafka.prepare(export), tenant)


async def test_each_trace_is_a_record_keyed_by_its_id_with_its_sender():
    topics = Topics()
    spans = [span(1, 1, **{"sqlassay.question": "q"}), span(2, 1), span(1, 2, **{"db.query.text": "s"})]
    export = Export(spans=spans, rejected=1, fault="no id")
    rejected = await sent_to(SpansToKafka(publisher=topics, topic="query-spans"), export, "kites")
    assert (rejected.count, rejected.fault) == (1, "no id")
    assert [(each.topic, each.key, each.headers) for each in topics.messages] == [
        ("query-spans", spans[0].trace_id.encode(), [("sqlassay-tenant", b"kites")]),
        ("query-spans", spans[1].trace_id.encode(), [("sqlassay-tenant", b"kites")]),
    ]
    assert list(read_otlp(topics.messages[0].value or b"", TABLE).spans) == [spans[0], spans[2]]


async def test_a_large_trace_is_several_records_and_a_span_too_large_for_one_is_rejected():
    topics = Topics(most=900)
    texts = ["x" * 400, "y" * 5000, "w" * 850, *("z" * 400 for _ in range(6))]
    spans = [span(1, number, **{"db.query.text": text}) for number, text in enumerate(texts, 1)]
    to_kafka = SpansToKafka(publisher=topics, topic="query-spans", most_bytes=1024)
    rejected = await sent_to(to_kafka, Export(spans=spans), None)
    sent = [each for message in topics.messages for each in read_otlp(message.value or b"", TABLE).spans]
    assert {each.span_id for each in spans} - {each.span_id for each in sent} >= {spans[1].span_id, spans[2].span_id}
    assert rejected.count == len(spans) - len(sent)
    assert "one record" in rejected.fault


async def test_spans_that_kafka_does_not_acknowledge_must_be_sent_again():
    class Down:
        async def publish(self, messages: Sequence[Message]) -> list[int]:
            raise Unavailable("Kafka does not answer")

    with pytest.raises(Unavailable):
        await sent_to(SpansToKafka(publisher=Down(), topic="t"), Export(spans=[span(1, 1)]), None)


async def test_an_event_that_can_never_be_stored_is_a_dead_letter_that_can_be_replayed():
    topics = Topics(most=2000)
    payload = {"event_id": "1", "source": "/opentelemetry", "question": "q", "sql": "s" * 3000}
    event = SpanEvent(trace=TraceKey(None, f"{1:032x}"), payload=payload)
    on_dead_letter = PublishSpanDeadLetter(publisher=topics, topic="query-spans", dead_topic="query-events.dead")
    await on_dead_letter(event, Outcome(kind=OutcomeKind.DEAD_LETTERED, reason="ID_CONFLICT", detail="it came before"))
    [letter] = topics.messages
    said = dict(letter.headers)
    assert (letter.topic, said["dead-letter-reason"], said["dead-letter-topic"]) == (
        "query-events.dead",
        b"ID_CONFLICT",
        b"query-spans",
    )
    assert letter.value.startswith(b'{"event_id":"1"')
    assert len(letter.value or b"") <= 2000


@dataclass(frozen=True, slots=True)
class KeptFeedback:
    """A `FeedbackStore` in a list."""

    given: list[Any]

    async def keep(self, given: Sequence[Feedback]) -> None:
        self.given.extend(given)


def from_kafka() -> tuple[SpansFromKafka, list[Any]]:
    submitted: list[Any] = []

    async def submit(records: Sequence[Record]) -> list[asyncio.Future[Outcome]]:
        submitted.extend(records)
        receipts = [asyncio.get_running_loop().create_future() for _ in records]
        for receipt in receipts:
            receipt.set_result(Outcome(kind=OutcomeKind.SCORED))
        return receipts

    join = SpanJoin(TABLE, JoinLimits())
    joined = JoinSpans(join, submit, asyncio.get_running_loop().time)
    metrics = Metrics(MetricSettings(), judge="local")
    feedback = KeepSpanFeedback(keep=KeepFeedback(store=KeptFeedback(submitted), rules=MemoryRules()))
    spans = SpansFromKafka(
        joined=joined, feedback=feedback, reading=ReadingApart(), table=TABLE, metrics=metrics, max_bytes=10_000
    )
    return spans, submitted


async def test_what_a_person_says_in_an_event_of_a_span_passes_the_topic():
    said = [("gen_ai.evaluation.name", "user_feedback"), ("gen_ai.evaluation.score.label", "thumbs_down")]
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in said]
    event = {"name": "gen_ai.evaluation.result", "attributes": attributes}
    sent = {"traceId": f"{7:032x}", "spanId": f"{1:016x}", "events": [event]}
    export = read_otlp(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [sent]}]}]}).encode(), TABLE)
    topics = Topics()
    await sent_to(SpansToKafka(publisher=topics, topic="query-spans"), export, "kites")
    spans, submitted = from_kafka()
    [written] = topics.messages
    await spans.read(written.value, written.headers)
    [kept] = submitted
    assert (kept.tenant, kept.trace_id, kept.thumb, kept.satisfied) == ("kites", f"{7:032x}", "down", False)
    spans.joined.forget()


async def test_what_was_written_to_the_topic_and_what_the_collector_writes_in_json_is_joined():
    topics = Topics()
    asked, answered = span(1, 1, **{"sqlassay.question": "q"}), span(1, 2, **{"db.query.text": "SELECT 1"})
    await sent_to(SpansToKafka(publisher=topics, topic="query-spans"), Export(spans=[asked]), "kites")
    document = {
        "traceId": answered.trace_id,
        "spanId": answered.span_id,
        "parentSpanId": asked.span_id,
        "attributes": [{"key": "db.query.text", "value": {"stringValue": "SELECT 1"}}],
    }
    collector = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [document]}]}]}).encode()
    spans, submitted = from_kafka()
    [written] = topics.messages
    receipts = [
        await spans.read(written.value, written.headers),
        await spans.read(collector, [("sqlassay-tenant", b"kites"), ("other", b"\xff")]),
    ]
    await spans.joined.close()
    await asyncio.gather(*receipts)
    [record] = submitted
    assert (record.payload["question"], record.payload["sql"], record.tenant) == ("q", "SELECT 1", "kites")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, InvalidReason.NO_VALUE),
        (b"\xff", InvalidReason.NOT_OTLP),
        (b"[]", InvalidReason.NOT_OTLP),
        (b'{"resourceSpans": [{"scopeSpans": [{"spans": [{}]}]}]}', InvalidReason.NOT_OTLP),
        (b"\0" * 20_000, InvalidReason.EVENT_TOO_LARGE),
    ],
)
async def test_a_record_without_spans_is_a_dead_letter(value, reason):
    spans, _ = from_kafka()
    with pytest.raises(InvalidEvent) as refusal:
        await spans.read(value, [])
    assert refusal.value.reason is reason
