"""A record of a stream, and the event it holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from consumers.evaluation.event_evaluation import EventKey, event_key
from consumers.evaluation.event_outcomes import dead_lettered
from consumers.evaluation.outcomes import Outcome, Trigger
from consumers.evaluation.timings import StageTimings, is_wanted
from consumers.wire.envelopes import Headers, read_envelope
from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, InvalidReason, QueryEvent, decode_event


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One record of a stream, not yet decoded."""

    payload: object
    """JSON bytes or text, or a parsed object."""
    headers: Headers | None = None
    """Set where the payload comes in an envelope."""
    require_id: bool = False
    """Whether an event without an id is invalid; else its payload's hash is the id."""
    tenant: str | None = None
    """The only tenant its sender may write for; `None` is any."""
    timestamp: datetime | None = None
    """When the stream took it; the event time of an event that names none."""
    trigger: Trigger = Trigger.LIVE
    size: int = 0
    """Bytes it holds while in flight."""
    attempts: int = 0
    """How often it was tried before."""
    sampledrate: int | None = None
    """The sender kept one event in this many; `None` is not sampled, or named by the envelope."""
    traceparent: str | None = None
    """W3C trace context, where no envelope names it."""


@dataclass(frozen=True, slots=True)
class Known:
    """A record that was decoded: its event is known."""

    event: QueryEvent
    payload_hash: str
    record: Record
    sampledrate: int | None = None
    traceparent: str | None = None
    timings: StageTimings | None = field(default=None, compare=False)
    """Set where the event is traced."""

    @property
    def key(self) -> EventKey:
        """The event's identity."""
        return event_key(self.event)


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentBounds:
    """How far from now an event may have occurred: what lies outside would never expire, or at once."""

    past_days: int = 3660
    ahead_days: int = 7

    def checked(self, decoded: Known | Outcome, now: datetime) -> Known | Outcome:
        """What was decoded, or the outcome of an event outside the bounds."""
        if not isinstance(decoded, Known):
            return decoded
        occurred_at = decoded.event.occurred_at or decoded.record.timestamp or now
        if -timedelta(days=self.past_days) <= occurred_at - now <= timedelta(days=self.ahead_days):
            return decoded
        bound = f"{self.past_days} days before now" if occurred_at < now else f"{self.ahead_days} days after now"
        detail = f"field occurred_at: {occurred_at.isoformat()} is more than {bound}: send when the agent answered"
        refused = dead_lettered(InvalidReason.INVALID_FIELD, detail, decoded.event)
        return replace(refused, timings=decoded.timings)


def decode(
    record: Record, max_event_bytes: int = MAX_EVENT_BYTES, timings: StageTimings | None = None
) -> Known | Outcome:
    """The record's event, or the outcome of an invalid record. Sets the trace context of `timings`; pure otherwise."""
    try:
        return _decode(record, max_event_bytes, timings)
    except InvalidEvent as error:
        return dead_lettered(error.reason, error.detail)


def _decode(record: Record, most: int, timings: StageTimings | None) -> Known | Outcome:
    payload, sampledrate, traceparent = record.payload, record.sampledrate, record.traceparent
    if record.headers is not None:
        envelope = read_envelope(payload, record.headers, max_bytes=most)
        payload, sampledrate, traceparent = envelope.payload, envelope.sampledrate, envelope.traceparent
    if timings is not None:
        timings.traceparent = traceparent
    event = decode_event(payload, require_id=record.require_id, tenant=record.tenant or "default", max_bytes=most)
    if record.tenant is not None and event.tenant != record.tenant:
        detail = f"field tenant names another tenant than your token's, {record.tenant!r}: send only its events"
        return dead_lettered(InvalidReason.TENANT_NOT_ALLOWED, detail, event)
    return Known(event, event.payload_hash, record, sampledrate, traceparent)


def decode_timed(record: Record, max_event_bytes: int, timer: Callable[[], float]) -> Known | Outcome:
    """Decodes a record and times it, unless its sender does not sample the trace."""
    timings = StageTimings(timer(), record.traceparent)
    decoded = decode(record, max_event_bytes, timings)
    if not is_wanted(timings.traceparent):
        return decoded
    timings.add("decode", timings.began, timer())
    return replace(decoded, timings=timings)
