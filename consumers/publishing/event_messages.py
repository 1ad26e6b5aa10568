"""An event as the record that a worker reads: CloudEvents 1.0, binary mode."""

from __future__ import annotations

import orjson

from consumers.decoding import Known
from consumers.evaluation.outcomes import Trigger
from consumers.stream.dead_letters import TRIGGER_HEADER
from consumers.stream.ports import Message

EVENT_TYPE = "sqlassay.query.answered.v1"
"""CloudEvents type of a query event."""


def event_message(known: Known, topic: str) -> Message:
    """The event as a message; its key puts all records of one event in one partition, in the order they were sent."""
    event = known.event
    headers = [
        ("ce_specversion", b"1.0"),
        ("ce_type", EVENT_TYPE.encode()),
        ("ce_id", event.event_id.encode()),
        ("ce_source", event.source.encode()),
        ("content-type", b"application/json"),
    ]
    if known.sampledrate is not None:
        headers.append(("ce_sampledrate", str(known.sampledrate).encode()))
    if known.traceparent is not None:
        headers.append(("ce_traceparent", known.traceparent.encode()))
    if known.record.trigger is Trigger.REPLAY:
        headers.append((TRIGGER_HEADER, Trigger.REPLAY.value.encode()))
    value = orjson.dumps(event.model_dump(exclude={"event_id", "source"}), option=orjson.OPT_UTC_Z)
    return Message(topic=topic, key=known.key.digest.bytes, value=value, headers=headers)
