"""Events of HTTP on their way to Kafka: checked first, and answered for only when Kafka has them."""

from __future__ import annotations

from typing import Any

import pytest

from consumers.decoding import Known, Record, decode
from consumers.errors import Unavailable
from consumers.evaluation.outcomes import Outcome
from consumers.publishing.event_messages import event_message
from consumers.wire.envelopes import read_envelope
from consumers.wire.events import decode_event
from service.metrics import Metrics
from service.pipeline.event_intake import EventsToKafka, Published
from service.settings.observability_settings import MetricSettings
from tests.memory.stream import MemoryPublisher

SAMPLE = {"event_id": "a", "question": "How many ovens are there?", "sql": "SELECT COUNT(*) FROM ovens"}


def intake(publisher: MemoryPublisher) -> EventsToKafka:
    metrics = Metrics(MetricSettings(), judge="local")
    return EventsToKafka(publisher=publisher, topic="query-events", metrics=metrics, max_event_bytes=1_000_000)


async def test_what_is_published_reads_back_as_the_same_event_with_the_same_hash():
    publisher = MemoryPublisher()
    sent = Record(payload={**SAMPLE, "agent": "crumb", "attributes": {"n": 1}}, require_id=True, tenant="bakers")
    assert await intake(publisher).accept([sent]) == [Published("a")]
    [message] = publisher.messages
    again = decode(Record(payload=message.value, headers=message.headers))
    direct = decode(sent)
    assert isinstance(again, Known)
    assert isinstance(direct, Known)
    assert (again.event, again.payload_hash) == (direct.event, direct.payload_hash)
    assert again.event.tenant == "bakers"


async def test_the_rate_that_an_envelope_names_goes_along():
    publisher, headers = MemoryPublisher(), [("ce_specversion", b"1.0"), ("ce_id", b"7"), ("ce_source", b"/s")]
    headers += [("ce_type", b"t"), ("ce_sampledrate", b"20")]
    value = b'{"question": "q", "sql": "SELECT 1"}'
    await intake(publisher).accept([Record(payload=value, headers=headers)])
    envelope = read_envelope(publisher.messages[0].value, publisher.messages[0].headers)
    assert (envelope.id, envelope.source, envelope.sampledrate) == ("7", "/s", 20)


async def test_with_kafka_down_the_sender_is_told_to_send_again():
    with pytest.raises(Unavailable):
        await intake(MemoryPublisher(failures=1)).accept([Record(payload=SAMPLE)])


async def test_what_the_broker_holds_too_large_is_refused_and_the_others_are_published():
    publisher = MemoryPublisher(largest=1000)
    large = {**SAMPLE, "event_id": "b", "attributes": {"note": "x" * 2000}}
    ends = await intake(publisher).accept([Record(payload=each) for each in (SAMPLE, large, 7)])
    assert [each.reason if isinstance(each, Outcome) else each.event_id for each in ends] == [
        "a",
        "EVENT_TOO_LARGE",
        "NOT_AN_OBJECT",
    ]
    assert len(publisher.messages) == 1


def test_all_records_of_one_event_have_one_key_and_others_have_others():
    payloads = (SAMPLE, {**SAMPLE, "sql": "SELECT 2"}, {**SAMPLE, "event_id": "b"}, {**SAMPLE, "tenant": "t"})
    keys = [event_message(known(each), "query-events").key for each in payloads]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def known(payload: dict[str, Any]) -> Known:
    event = decode_event(payload, require_id=True)
    return Known(event, event.payload_hash, Record(payload=payload))
