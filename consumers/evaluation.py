"""One event with what became of it: what the store keeps."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from consumers.events import QueryEvent
from scoring.query import Unscored
from scoring.record import score_record, unscored_record
from scoring.rules import Rules
from scoring.verdict import Score


class EventKey(NamedTuple):
    """An event's identity."""

    tenant: str
    source: str
    event_id: str


class Claim(NamedTuple):
    """Who holds an event key: what the event said, and its row."""

    payload_hash: str
    evaluation_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A scored or unscored event, ready to store."""

    id: UUID
    event: QueryEvent
    payload_hash: str
    received_at: datetime
    result: Score | Unscored
    rules_version: int
    record: dict[str, object]
    """The line out: everything needed to explain the score later."""

    @property
    def key(self) -> EventKey:
        """The event's identity."""
        return event_key(self.event)

    @property
    def claim(self) -> Claim:
        """What stands under the key once the row is committed."""
        return Claim(self.payload_hash, self.id)

    @property
    def occurred_at(self) -> datetime:
        """Event time, else when it was received."""
        return self.event.occurred_at or self.received_at


def event_key(event: QueryEvent) -> EventKey:
    """The event's identity."""
    return EventKey(event.tenant, event.source, event.event_id)


def evaluate(event: QueryEvent, result: Score | Unscored, rules: Rules, received_at: datetime) -> Evaluation:
    """The evaluation of an event under one version of its tenant's rules."""
    version = rules.version
    record = score_record(result) if isinstance(result, Score) else unscored_record(result, version)
    return Evaluation(
        id=time_ordered_id(event.occurred_at or received_at),
        event=event,
        payload_hash=event.payload_hash,
        received_at=received_at,
        result=result,
        rules_version=version,
        record={"event_id": event.event_id, **record},
    )


def time_ordered_id(moment: datetime) -> UUID:
    """A UUID of version 7 (RFC 9562) whose first 48 bits are `moment` in ms, so that a row's day is in its id."""
    millis = min(max(int(moment.timestamp() * 1000), 0), (1 << 48) - 1)
    number = (millis << 80) | secrets.randbits(80)
    number = (number & ~(0xF << 76)) | (0x7 << 76)
    return UUID(int=(number & ~(0x3 << 62)) | (0x2 << 62))
