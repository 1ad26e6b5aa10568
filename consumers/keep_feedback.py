"""The use case that keeps what people say about answers, also where it arrives before its event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from consumers.errors import RefusedByStore, RulesUnavailable, StoreUnavailable
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind
from consumers.ports import RuleSource
from consumers.queueing.isolation import isolate_failures
from consumers.wire.events import InvalidEvent, InvalidReason
from consumers.wire.feedback import FeedbackDocument, FeedbackKind, Thumb, read_feedback_document


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What one person says about one answer."""

    tenant: str
    feedback_id: str
    """Identifies it within the tenant."""
    kind: FeedbackKind
    source: str | None
    event_id: str | None
    """With `source`, the event; `None` where only its trace is named."""
    trace_id: str | None
    thumb: Thumb | None
    stars: int | None
    """One to five."""
    edited_sql: str | None
    comment: str | None
    user_id: str | None
    satisfied: bool | None
    """What thumb, stars or edited SQL say; `None` where they say neither."""
    given_at: datetime
    received_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackRecord:
    """One record of a stream of feedback, not decoded yet."""

    payload: object
    """JSON bytes or text, or an object already parsed."""
    tenant: str | None = None
    """The only tenant its sender may write for; `None` is any."""
    sent_at: datetime
    """The time of feedback that has none of its own."""


class FeedbackStore(Protocol):
    """Keeps feedback."""

    async def keep(self, given: Sequence[Feedback]) -> None:
        """Keeps the latest of each id, attached to its answer once that is stored.

        Raises `StoreUnavailable` or `RefusedByStore`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepFeedback:
    """Decode → remove the texts of tenants that store none → keep. Feedback that is sent twice changes nothing."""

    store: FeedbackStore
    rules: RuleSource

    async def __call__(self, batch: Sequence[FeedbackRecord]) -> list[Outcome | None]:
        """Returns for each record, in order, `None` if it is kept, else its outcome; send deferred ones again."""
        read = [_read(record) for record in batch]
        given = [each for each in read if isinstance(each, Feedback)]
        try:
            refused = await self._keep(given)
        except (StoreUnavailable, RulesUnavailable) as error:
            deferred = Outcome(
                kind=OutcomeKind.DEFERRED, reason=DeferredReason.STORE_UNAVAILABLE.value, detail=str(error)
            )
            return [deferred if isinstance(each, Feedback) else each for each in read]
        return [each if isinstance(each, Outcome) else refused.get((each.tenant, each.feedback_id)) for each in read]

    async def _keep(self, given: Sequence[Feedback]) -> dict[tuple[str, str], Outcome]:
        """The outcomes of what the store refuses, by tenant and id."""
        if not given:
            return {}
        rules = await self.rules.rules({each.tenant for each in given})
        # rules that cannot be read may forbid texts
        storing = {tenant for tenant, each in rules.items() if each.store_raw}
        kept = [each if each.tenant in storing else _without_texts(each) for each in given]
        refused = await isolate_failures(self.store.keep, kept, RefusedByStore)
        return {
            (each.tenant, each.feedback_id): _dead_lettered(InvalidReason.REFUSED_BY_STORE, str(error))
            for each, error in refused
        }


def _without_texts(given: Feedback) -> Feedback:
    return replace(given, edited_sql=None, comment=None)


def _read(record: FeedbackRecord) -> Feedback | Outcome:
    try:
        document = read_feedback_document(record.payload, tenant=record.tenant)
    except InvalidEvent as error:
        return _dead_lettered(error.reason, error.detail)
    return feedback_of(document, record.sent_at)


def feedback_of(document: FeedbackDocument, sent_at: datetime) -> Feedback:
    """What a document says; `sent_at` is its time where it has none."""
    return Feedback(
        tenant=document.tenant,
        feedback_id=document.key,
        kind=document.kind,
        source=document.event_source,
        event_id=document.event_id,
        trace_id=document.trace_id,
        thumb=document.thumb,
        stars=document.stars,
        edited_sql=document.edited_sql,
        comment=document.comment,
        user_id=document.user,
        satisfied=document.satisfied,
        given_at=document.given_at or sent_at,
        received_at=sent_at,
    )


def _dead_lettered(reason: InvalidReason, detail: str) -> Outcome:
    return Outcome(kind=OutcomeKind.DEAD_LETTERED, reason=reason.value, detail=detail)
