"""How a consumed record ended. Each ends in exactly one outcome, so outcomes add up to records consumed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID

from consumers.evaluation.timings import StageTimings


class OutcomeKind(StrEnum):
    """The five ways a record can end."""

    SCORED = "scored"
    """A row with a score is committed."""
    UNSCORED = "unscored"
    """A row without a score, with the reason, is committed."""
    DUPLICATE = "duplicate"
    """The same event is already committed."""
    DEAD_LETTERED = "dead_lettered"
    """The record can never become an evaluation."""
    DEFERRED = "deferred"
    """The event is kept for a later try or, where a dependency is down, must be sent again."""


class Trigger(StrEnum):
    """Why a record is consumed."""

    LIVE = "live"
    """An agent just published it."""
    DEFERRED = "deferred"
    """It was deferred and is tried again."""
    BACKFILL = "backfill"
    """It was scored before and is scored again by another judge, evaluator or rules."""
    REPLAY = "replay"
    """It was a dead letter and was sent back."""


class DeferredReason(StrEnum):
    """Why an event is deferred."""

    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    """The database does not answer."""
    RULES_UNAVAILABLE = "RULES_UNAVAILABLE"
    """The tenant's rules cannot be read."""
    JUDGE_UNAVAILABLE = "JUDGE_UNAVAILABLE"
    """The model does not answer, and the tenant's rules say to wait for it."""
    INTERNAL_ERROR = "INTERNAL_ERROR"
    """A bug; the log names it."""
    TENANT_THROTTLED = "TENANT_THROTTLED"
    """Too many of the tenant's events wait for a model or take long; those over its share wait for other tenants'."""
    EVENT_DEADLINE = "EVENT_DEADLINE"
    """The event waited for a model longer than its deadline."""
    INTERRUPTED = "INTERRUPTED"
    """The process stopped before the event was stored; Kafka delivers it to another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one record ended, and whose event it was."""

    kind: OutcomeKind
    reason: str = ""
    """An UnscoredReason, InvalidReason or DeferredReason; empty for scored and duplicate."""
    detail: str = ""
    """One line for a person."""
    event_id: str | None = None
    tenant: str | None = None
    agent: str | None = None
    evaluation_id: UUID | None = None
    """The committed row; of a duplicate, the first one's."""
    score: float | None = None
    trigger: Trigger = Trigger.LIVE
    kept: bool = False
    """Whether a deferred event is kept and tried again, so that nobody needs to send it again."""
    timings: StageTimings | None = field(default=None, compare=False, repr=False)
    """Set where the event is traced."""


async def count_only(lost: object, outcome: Outcome) -> None:
    """For a process without a dead-letter topic: publishes nothing; the outcome is counted elsewhere."""
