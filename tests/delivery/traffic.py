"""Events that agents of an invented ferry line publish, the same for the same seed, in every envelope that is read."""

from __future__ import annotations

import random
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson

from consumers.wire.events import decode_event

Headers = tuple[tuple[str, bytes], ...]
LOCAL, ASKING, DEFERRING = "quayside", "pilotage", "drydock"
"""Tenants: judged locally; by a model, or locally where it is gone; by a model, or later."""
TENANTS = frozenset({LOCAL, ASKING, DEFERRING})
_ANSWERS = (
    ("How many ferries left berth {n} in 2025?", "SELECT COUNT(*) FROM sailings WHERE berth = {n} AND year = 2025"),
    ("Total fares of route {n}", "SELECT SUM(fare) FROM tickets WHERE route_id = {n}"),
    (
        "Which captains sailed more than {n} times?",
        "SELECT captain FROM sailings GROUP BY captain HAVING COUNT(*) > {n}",
    ),
    ("Average delay at pier {n}", "SELECT AVG(delay) FROM arrivals WHERE pier = {n} AND cancelled = 0"),
    ("List the {n} longest crossings", "SELECT name FROM crossings ORDER BY length_km DESC LIMIT {n}"),
)


class Key(NamedTuple):
    """An event's identity."""

    tenant: str
    source: str
    event_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A record to publish, and the event it is; `key` is `None` where it is none."""

    value: bytes | None
    headers: Headers = ()
    key: Key | None = None
    may_be_gone: bool = False
    """Whether retention may have deleted its row."""
    record_key: bytes | None = None
    """The record's key, which chooses its partition; without one the producer chooses any."""


def events(
    seed: int,
    count: int,
    tenants: Sequence[str] = (LOCAL, LOCAL, LOCAL, ASKING, DEFERRING),
    since: datetime = datetime(2026, 11, 1, tzinfo=UTC),
    days: int = 20,
) -> list[Message]:
    """Events with ids that no other call gives, in a seeded mix of tenants, envelopes and days."""
    chance = random.Random(seed)
    run = uuid.uuid4().hex[:8]
    made: list[Message] = []
    for number in range(count):
        tenant = chance.choice(tenants)
        moment = since + timedelta(days=chance.randrange(days), hours=chance.randrange(24))
        made.append(_event(chance, f"{run}-{number}", number, tenant, f"{moment:%Y-%m-%dT%H}:15:00Z"))
    return made


def _event(chance: random.Random, event_id: str, number: int, tenant: str, moment: str) -> Message:
    question, sql = chance.choice(_ANSWERS)
    data = {
        "tenant": tenant,
        "agent": chance.choice(("gull", "heron")),
        "occurred_at": moment,
        "question": question.format(n=number),
        "sql": sql.format(n=number),
        "attributes": {"voyage": event_id},
    }
    return chance.choice((_plain, _plain, _unnamed, _binary, _structured))(event_id, data)


def _plain(event_id: str, data: dict[str, Any]) -> Message:
    key = Key(str(data["tenant"]), f"/{data['tenant']}/{data['agent']}", event_id)
    return Message(value=orjson.dumps({"event_id": event_id, **data}), key=key)


def _unnamed(_: str, data: dict[str, Any]) -> Message:
    """Without an id, the digest of what it says is its id."""
    value = orjson.dumps(data)
    event = decode_event(value, require_id=False)
    return Message(value=value, key=Key(event.tenant, event.source, event.event_id))


def _binary(event_id: str, data: dict[str, Any]) -> Message:
    named = {"specversion": "1.0", "id": event_id, "source": "/ferries", "type": "sqlassay.query"}
    headers = tuple((f"ce_{name}", value.encode()) for name, value in named.items())
    key = Key(str(data["tenant"]), "/ferries", event_id)
    return Message(value=orjson.dumps(data), headers=(*headers, ("content-type", b"application/json")), key=key)


def _structured(event_id: str, data: dict[str, Any]) -> Message:
    document = {"specversion": "1.0", "id": event_id, "source": "/ferries", "type": "sqlassay.query", "data": data}
    key = Key(str(data["tenant"]), "/ferries", event_id)
    headers = (("content-type", b"application/cloudevents+json"),)
    return Message(value=orjson.dumps(document), headers=headers, key=key)
