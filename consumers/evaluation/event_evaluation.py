"""One event with its result: the row that the store keeps."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from consumers.evaluation.outcomes import Trigger
from consumers.evaluation.timings import StageTimings
from consumers.evaluation.withholding import without_texts
from consumers.wire.events import QueryEvent
from scoring.query import Unscored, UnscoredReason
from scoring.record import score_record, unscored_record
from scoring.rules import JudgePolicy, Rules, Tier
from scoring.verdict import Composite, Enrichment, FilterStatus, Reply, Score

FILLABLE = frozenset({UnscoredReason.JUDGE_UNAVAILABLE, UnscoredReason.BUDGET_SPENT, UnscoredReason.SCORER_FAILED})
"""Reasons that lie with the service and not with the answer: a later try may give the row its score, once."""

# ids must be unique, not secret: the system's source of randomness would release the interpreter's lock at each call,
# and the scoring thread would wait for the lock longer than it works
_RANDOM = random.Random()  # noqa: S311 see above


class EventKey(NamedTuple):
    """An event's identity."""

    tenant: str
    source: str
    event_id: str

    @property
    def digest(self) -> UUID:
        """The key in 16 bytes, however long its names are, for indexes.

        >>> EventKey("t", "/s", "1").digest == EventKey("t", "/s", "1").digest != EventKey("t", "/s1", "").digest
        True
        """
        text = f"{len(self.tenant)}:{self.tenant}{len(self.source)}:{self.source}{self.event_id}"
        return UUID(bytes=hashlib.sha256(text.encode()).digest()[:16])


class Claim(NamedTuple):
    """The current row of an event key, and a hash of its event's content."""

    payload_hash: str
    evaluation_id: UUID
    occurred_at: datetime | None = None
    """The event time of its rows."""
    fillable: bool = False
    """Whether its row has no score for one of the reasons in `FILLABLE`, and may be given one."""


class Scored(NamedTuple):
    """The parts of a score that are counted and published beside its line out; cheap to send between processes."""

    composite: Composite
    tier: Tier
    reply: Reply
    filter_status: FilterStatus
    enrichment: Enrichment
    policy: JudgePolicy
    """Which judges the rules ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A scored or unscored event, ready to store."""

    id: UUID
    event: QueryEvent
    payload_hash: str
    received_at: datetime
    occurred_at: datetime
    """The event's own time, else its record's, else the time at which it was received."""
    result: Scored | Unscored
    rules_version: int
    record: dict[str, object]
    """The line out: everything needed to explain the score later."""
    trigger: Trigger = Trigger.LIVE
    current: bool = True
    """Whether lists and reports read this evaluation; the event's other evaluations are history."""
    withheld: bool = False
    """Whether the tenant's rules forbid storing texts."""
    timings: StageTimings | None = field(default=None, compare=False)
    """Set where the event is traced."""

    @property
    def key(self) -> EventKey:
        """The event's identity."""
        return event_key(self.event)

    @property
    def claim(self) -> Claim:
        """The claim on the key once the row is committed."""
        return Claim(self.payload_hash, self.id, self.occurred_at, self.fillable)

    @property
    def fillable(self) -> bool:
        """Whether a later try may give it a score."""
        return isinstance(self.result, Unscored) and self.result.reason in FILLABLE

    def fills(self, claim: Claim) -> bool:
        """Whether it may replace the row of `claim`: it is the score, or the event's question, that the row lacks."""
        scores = claim.fillable and claim.payload_hash == self.payload_hash and isinstance(self.result, Scored)
        return claim.evaluation_id == self.id and (scores or self.event.completes(claim.payload_hash))


def event_key(event: QueryEvent) -> EventKey:
    """The event's identity."""
    return EventKey(event.tenant, event.source, event.event_id)


@dataclass(frozen=True, slots=True)
class LineOut:
    """The result of an event with its line out."""

    result: Scored | Unscored
    line: dict[str, object]


def line_out(event_id: str, end: Score | Unscored, rules: Rules) -> LineOut:
    """The result with its line out, without texts where the tenant's rules forbid storing them."""
    record = score_record(end) if isinstance(end, Score) else unscored_record(end, rules.version)
    line = {"event_id": event_id, **record}
    return LineOut(_scored(end) if isinstance(end, Score) else end, line if rules.store_raw else without_texts(line))


def _scored(score: Score) -> Scored:
    case = score.case
    return Scored(
        composite=score.composite,
        tier=score.tier,
        reply=score.reply,
        filter_status=case.filters.status,
        enrichment=case.enrichment,
        policy=case.rules.judge.policy,
    )


def evaluate(
    event: QueryEvent,
    end: Score | Unscored | LineOut,
    rules: Rules,
    received_at: datetime,
    *,
    timestamp: datetime | None = None,
    trigger: Trigger = Trigger.LIVE,
    claim: Claim | None = None,
) -> Evaluation:
    """Makes the evaluation of an event under one version of its tenant's rules.

    `timestamp` is the record's, for an event without a time of its own. With a `claim`, the evaluation replaces that
    claim's row.
    """
    end = end if isinstance(end, LineOut) else line_out(event.event_id, end, rules)
    occurred_at = event.occurred_at or timestamp or received_at
    if claim is not None:
        occurred_at = claim.occurred_at or occurred_at
    return Evaluation(
        id=claim.evaluation_id if claim is not None else time_ordered_id(occurred_at),
        event=event,
        payload_hash=event.payload_hash,
        received_at=received_at,
        occurred_at=occurred_at,
        result=end.result,
        rules_version=rules.version,
        record=end.line,
        trigger=trigger,
        withheld=not rules.store_raw,
    )


def time_ordered_id(moment: datetime) -> UUID:
    """A UUID of version 7 (RFC 9562): its first 48 bits are `moment` in ms, so the id contains its row's day."""
    millis = min(max(int(moment.timestamp() * 1000), 0), (1 << 48) - 1)
    number = (millis << 80) | _RANDOM.getrandbits(80)
    number = (number & ~(0xF << 76)) | (0x7 << 76)
    return UUID(int=(number & ~(0x3 << 62)) | (0x2 << 62))
