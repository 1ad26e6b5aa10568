"""One event with its result: the row that the store keeps."""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import UUID

from consumers.evaluation.outcomes import Trigger
from consumers.evaluation.timings import StageTimings
from consumers.evaluation.withholding import without_texts
from consumers.wire.events import QueryEvent
from scoring.memory.asked import AskedQuestion, asked_question
from scoring.memory.context import MemoryContext
from scoring.memory.facts import AnswerFacts, facts_of
from scoring.memory.remembered import RememberedAnswer
from scoring.query import Unscored, UnscoredReason
from scoring.record import score_record, unscored_record
from scoring.rules import JudgePolicy, Rules, Tier
from scoring.verdict import Case, Composite, Enrichment, FilterStatus, Reply, Score

FILLABLE = frozenset({UnscoredReason.JUDGE_UNAVAILABLE, UnscoredReason.BUDGET_SPENT, UnscoredReason.SCORER_FAILED})
"""Reasons that are the service's fault, not the answer's: a later try may give the row its score, once."""

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
        return _digest(self)


# several tables hold the digest of an event that is written
@lru_cache(maxsize=2048)
def _digest(key: EventKey) -> UUID:
    text = f"{len(key.tenant)}:{key.tenant}{len(key.source)}:{key.source}{key.event_id}"
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

    @property
    def judge_label(self) -> str:
        """The judge under the tenant's policy. A cascade is one judge, whichever of its two answered.

        A fallback keeps the label of the judge that should have answered, and has its own metric.
        """
        if self.policy is JudgePolicy.LOCAL:
            return self.reply.judge
        named = self.reply.model and self.policy is JudgePolicy.LLM
        return f"{self.policy.value}:{self.reply.model}" if named else self.policy.value


class ComparedAnswer(NamedTuple):
    """What the tenant's memory compares of an answer."""

    asked: AskedQuestion
    facts: AnswerFacts


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
    compared: ComparedAnswer | None = None
    """What the tenant's memory learns from it; `None` where it learns nothing."""
    context: MemoryContext | None = None
    """What that memory knew of the answer; set only where the record's `p_correct` includes it."""
    timings: StageTimings | None = field(default=None, compare=False)
    """Set where the event is traced."""

    @property
    def key(self) -> EventKey:
        """The event's identity."""
        return event_key(self.event)

    @property
    def answer(self) -> RememberedAnswer | None:
        """What the tenant's memory learns from it."""
        if self.compared is None:
            return None
        return RememberedAnswer(agent=self.event.agent, event_id=self.event.event_id, **self.compared._asdict())

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
    compared: ComparedAnswer | None = None


def line_out(event_id: str, end: Score | Unscored, rules: Rules, *, remember: bool = False) -> LineOut:
    """The result with its line out, without texts where the tenant's rules forbid storing them.

    `remember` adds what the tenant's memory compares, except of SQL that does not parse, where the tenant's rules
    switch memory off, and where no texts are stored: names of tables and columns are texts.
    """
    if isinstance(end, Unscored):
        line = {"event_id": event_id, **unscored_record(end, rules.version)}
        return LineOut(end, line if rules.store_raw else without_texts(line))
    line = {"event_id": event_id, **score_record(end)}
    if not rules.store_raw:
        return LineOut(_scored(end), without_texts(line))
    remember = remember and rules.memory and not end.case.ran_nothing
    return LineOut(_scored(end), line, compared_answer(end.case) if remember else None)


def compared_answer(case: Case) -> ComparedAnswer:
    """What the tenant's memory compares of an answer."""
    return ComparedAnswer(asked_question(case.question), facts_of(case))


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
        compared=end.compared,
    )


def time_ordered_id(moment: datetime) -> UUID:
    """A UUID of version 7 (RFC 9562): its first 48 bits are `moment` in ms, so the id contains its row's day."""
    millis = min(max(int(moment.timestamp() * 1000), 0), (1 << 48) - 1)
    number = (millis << 80) | _RANDOM.getrandbits(80)
    number = (number & ~(0xF << 76)) | (0x7 << 76)
    return UUID(int=(number & ~(0x3 << 62)) | (0x2 << 62))
