"""The use case that keeps reviewers' labels: finds the event of each label and stores the label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

from consumers.errors import RefusedByStore, StoreUnavailable
from consumers.evaluation.event_evaluation import EventKey
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind
from consumers.queueing.isolation import isolate_failures
from consumers.wire.events import InvalidEvent, InvalidReason
from consumers.wire.labels import ErrorType, LabelDocument, LabelValue, read_label_document

_SAID = {"reviewer", "label", "error_type", "note", "correction", "sampling_probability", "blind"}


class Target(NamedTuple):
    """The event of a label, named by one of its evaluations, else by its key."""

    tenant: str | None
    """Its tenant; `None` is any, for an evaluation."""
    evaluation_id: UUID | None = None
    key: EventKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """One reviewer's label of one event."""

    target: Target
    reviewer: str
    label: LabelValue
    error_type: ErrorType | None = None
    note: str | None = None
    correction: str | None = None
    labelled_at: datetime
    blind: bool | None = None
    """Whether it was given before the judge's verdict was shown; `None` is not recorded."""
    sampling_probability: float | None = None
    """The probability with which the answer was drawn for labelling, in (0, 1]; `None` is not recorded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRecord:
    """One record of a stream of labels, not decoded yet."""

    payload: object
    """JSON bytes or text, or an object already parsed."""
    tenant: str | None = None
    """The only tenant its sender may label for; `None` is any."""
    sent_at: datetime
    """The time of a label that has none of its own."""
    may_state_probability: bool = False
    """Whether its sender may say with which probability the answer was drawn."""


class LabelStore(Protocol):
    """Finds events and keeps their labels."""

    async def events(self, targets: Sequence[Target]) -> Mapping[Target, EventKey]:
        """The stored events, by target; raises `StoreUnavailable`."""
        ...

    async def keep(self, labels: Sequence[tuple[EventKey, Label]]) -> None:
        """Keeps each reviewer's latest label of each event; raises `StoreUnavailable` or `RefusedByStore`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLabels:
    """Decode → find the events → keep the labels. A label sent twice, or older than the stored one, changes nothing."""

    store: LabelStore

    async def __call__(self, batch: Sequence[LabelRecord]) -> list[Outcome | None]:
        """Returns for each record, in order, `None` if it is kept, else its outcome; send deferred ones again."""
        read = [_read(record) for record in batch]
        labels = [each for each in read if isinstance(each, Label)]
        try:
            known = await self.store.events(list({each.target for each in labels}))
            refused = await self._keep([(known[each.target], each) for each in labels if each.target in known])
        except StoreUnavailable as error:
            deferred = Outcome(
                kind=OutcomeKind.DEFERRED, reason=DeferredReason.STORE_UNAVAILABLE.value, detail=str(error)
            )
            return [deferred if isinstance(each, Label) else each for each in read]
        return [each if isinstance(each, Outcome) else refused.get(id(each)) or _unknown(each, known) for each in read]

    async def _keep(self, labels: Sequence[tuple[EventKey, Label]]) -> dict[int, Outcome]:
        """The outcomes of the labels that the store refuses, by `id(label)`."""
        if not labels:
            return {}
        refused = await isolate_failures(self.store.keep, labels, RefusedByStore)
        return {id(label): _dead_lettered(InvalidReason.REFUSED_BY_STORE, str(error)) for (_, label), error in refused}


def _unknown(label: Label, known: Mapping[Target, EventKey]) -> Outcome | None:
    if label.target in known:
        return None
    detail = "the event that the label names is not stored: check tenant, source and event_id"
    return _dead_lettered(InvalidReason.UNKNOWN_EVENT, detail)


def _read(record: LabelRecord) -> Label | Outcome:
    try:
        return decode_label(
            record.payload,
            tenant=record.tenant,
            sent_at=record.sent_at,
            may_state_probability=record.may_state_probability,
        )
    except InvalidEvent as error:
        return _dead_lettered(error.reason, error.detail)


def decode_label(raw: object, *, tenant: str | None, sent_at: datetime, may_state_probability: bool = False) -> Label:
    """Decodes a label as `read_label_document` does; `sent_at` is its time where it has none."""
    document = read_label_document(raw, tenant=tenant, may_state_probability=may_state_probability)
    return Label(
        target=_target(document),
        labelled_at=document.labelled_at or sent_at,
        **document.model_dump(include=_SAID),
    )


def _target(document: LabelDocument) -> Target:
    if document.evaluation_id is not None or document.event_id is None:
        tenant = document.tenant if "tenant" in document.model_fields_set else None
        return Target(tenant, evaluation_id=document.evaluation_id)
    source = document.source or f"/{document.tenant}/{document.agent}"
    return Target(document.tenant, key=EventKey(document.tenant, source, document.event_id))


def _dead_lettered(reason: InvalidReason, detail: str) -> Outcome:
    return Outcome(kind=OutcomeKind.DEAD_LETTERED, reason=reason.value, detail=detail)
