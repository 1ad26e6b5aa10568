"""The outcome of one event: from its row, from an earlier row of its id, or from what went wrong."""

from __future__ import annotations

from typing import TypeAlias

from consumers.errors import RefusedByStore
from consumers.evaluation.event_evaluation import Claim, Evaluation, Scored
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind
from consumers.wire.events import InvalidReason, QueryEvent
from scoring.query import Unscored

Standing: TypeAlias = Evaluation | Claim
"""What is stored under an event's key: the row just written, or the claim of an earlier one."""


def outcome_of(event: QueryEvent, standing: Standing, *, is_writer: bool = True) -> Outcome:
    """The outcome of a record whose event key is stored.

    Of several records of one event one writes the row, and the others are duplicates or conflicts.
    """
    if isinstance(standing, Evaluation) and is_writer:
        return written(standing)
    claim = standing.claim if isinstance(standing, Evaluation) else standing
    if not event.repeats(claim.payload_hash):
        return id_conflict(event)
    return Outcome(
        kind=OutcomeKind.DUPLICATE,
        evaluation_id=claim.evaluation_id,
        event_id=event.event_id,
        tenant=event.tenant,
        agent=event.agent,
    )


def written(evaluation: Evaluation) -> Outcome:
    """The outcome of an event whose row was just written."""
    event, result = evaluation.event, evaluation.result
    unscored = result if isinstance(result, Unscored) else None
    return Outcome(
        kind=OutcomeKind.SCORED if unscored is None else OutcomeKind.UNSCORED,
        reason=unscored.reason.value if unscored is not None else "",
        detail=unscored.detail if unscored is not None else "",
        score=result.composite.score if isinstance(result, Scored) else None,
        evaluation_id=evaluation.id,
        event_id=event.event_id,
        tenant=event.tenant,
        agent=event.agent,
    )


def id_conflict(event: QueryEvent) -> Outcome:
    """The event's id is taken by other content."""
    detail = "an event with this tenant, source and event_id but other content came before: give each event its own id"
    return dead_lettered(InvalidReason.ID_CONFLICT, detail, event)


def refused_by_store(event: QueryEvent, error: RefusedByStore) -> Outcome:
    """The store cannot hold the event's values."""
    return dead_lettered(InvalidReason.REFUSED_BY_STORE, str(error), event)


def dead_lettered(reason: InvalidReason, detail: str, event: QueryEvent | None = None) -> Outcome:
    """The record can never become an evaluation."""
    return _without_row(OutcomeKind.DEAD_LETTERED, reason.value, detail, event)


def deferred(event: QueryEvent | None, reason: DeferredReason, detail: str, *, kept: bool) -> Outcome:
    """The record could not be handled yet."""
    return _without_row(OutcomeKind.DEFERRED, reason.value, detail, event, kept=kept)


def _without_row(
    kind: OutcomeKind, reason: str, detail: str, event: QueryEvent | None, *, kept: bool = False
) -> Outcome:
    return Outcome(
        kind=kind,
        reason=reason,
        detail=detail,
        event_id=event.event_id if event is not None else None,
        tenant=event.tenant if event is not None else None,
        agent=event.agent if event is not None else None,
        kept=kept,
    )
