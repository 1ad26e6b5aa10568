"""What reviewers say: a label of one event's answer, its wire contract, and the use case that keeps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Protocol, Self, cast
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from consumers.errors import RefusedByStore, StoreUnavailable
from consumers.evaluation.evaluation import EventKey
from consumers.evaluation.outcomes import DeferredReason, Outcome, OutcomeKind
from consumers.queueing.isolation import isolate_failures
from consumers.wire.events import (
    NAME_PATTERN,
    InvalidEvent,
    InvalidReason,
    parse_json,
    refuse_bad_text,
    refuse_large,
    to_utc,
)
from consumers.wire.texts import json_type, shown

MAX_LABEL_BYTES = 256 * 1024
"""Largest label, in bytes of JSON."""


class LabelValue(StrEnum):
    """What a reviewer says of an answer."""

    RIGHT = "right"
    """The SQL answers the question."""
    WRONG = "wrong"
    """It does not."""
    UNSURE = "unsure"
    """The reviewer cannot tell; it counts for nothing but is kept."""


class ErrorType(StrEnum):
    """What is wrong with an answer, as a reviewer sees it."""

    FILTER = "filter"
    """A condition is missing, or there is one too many."""
    VALUE = "value"
    """A condition has the wrong value or operator."""
    TIME = "time"
    """The wrong period or grain of time."""
    COLUMN = "column"
    """The wrong columns are answered or read."""
    AGGREGATION = "aggregation"
    """The wrong function, or one missing or not asked for."""
    GROUPING = "grouping"
    """Grouped by the wrong thing, or not at all."""
    JOIN = "join"
    """The wrong tables, or tables joined wrongly."""
    ORDER = "order"
    """The wrong order, or the wrong number of rows."""
    QUESTION = "question"
    """The question was misunderstood as a whole."""
    OTHER = "other"
    """None of these: the note says what."""


_Name = Annotated[str, Field(strict=True, min_length=1, max_length=128, pattern=NAME_PATTERN)]


class LabelDocument(BaseModel):
    """A label as it is sent. The event is named by `evaluation_id`, or by `event_id` and its `source` or `agent`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    tenant: _Name = Field(default="default", description="Whose event it is.")
    evaluation_id: UUID | None = Field(default=None, description="Any evaluation of the event.")
    event_id: Annotated[str, Field(strict=True, min_length=1, max_length=256)] | None = Field(
        default=None, description="The event's id; with `source`, or with `agent` where it has the default source."
    )
    source: Annotated[str, Field(strict=True, min_length=1, max_length=260)] | None = Field(
        default=None, description="The event's source; default `/{tenant}/{agent}`."
    )
    agent: _Name = Field(default="default", description="The agent that answered, where no source is named.")
    label: LabelValue = Field(description="right, wrong or unsure.")
    error_type: ErrorType | None = Field(default=None, description="What is wrong with the answer.")
    note: Annotated[str, Field(strict=True, max_length=10_000)] | None = Field(default=None, description="For people.")
    correction: Annotated[str, Field(strict=True, max_length=100_000)] | None = Field(
        default=None, description="SQL that answers the question."
    )
    reviewer: _Name = Field(description="Who says so; a reviewer has one label for each event, the latest.")
    labelled_at: Annotated[datetime, AfterValidator(to_utc)] | None = Field(
        default=None, description="When; without it, when it was sent. Without a zone it is UTC."
    )

    @model_validator(mode="after")
    def _names_an_event(self) -> Self:
        if self.evaluation_id is None and self.event_id is None:
            raise ValueError("name the event by evaluation_id, or by event_id and its source or agent")
        return self


class Target(NamedTuple):
    """Which event a label is of: by one of its evaluations, else by its key."""

    tenant: str
    evaluation_id: UUID | None = None
    key: EventKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What one reviewer says of one event."""

    target: Target
    reviewer: str
    label: LabelValue
    error_type: ErrorType | None = None
    note: str | None = None
    correction: str | None = None
    labelled_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRecord:
    """One record of a stream of labels, not yet known to be one."""

    payload: object
    """JSON bytes or text, or an object already parsed."""
    tenant: str | None = None
    """The only tenant its sender may label for; `None` is any."""
    sent_at: datetime
    """Stands in for a time that the label does not name."""


class LabelStore(Protocol):
    """Keeps labels."""

    async def events(self, targets: Sequence[Target]) -> Mapping[Target, EventKey]:
        """The events that are stored, by target; raises `StoreUnavailable`."""
        ...

    async def keep(self, labels: Sequence[tuple[EventKey, Label]]) -> None:
        """Keeps each reviewer's latest label of each event; raises `StoreUnavailable` or `RefusedByStore`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepLabels:
    """Decode → find the events → keep the labels. A label sent again, or after a later one, changes nothing."""

    store: LabelStore

    async def __call__(self, batch: Sequence[LabelRecord]) -> list[Outcome | None]:
        """For each record, in order: `None` where it is kept, else why not; what is `deferred` must be sent again."""
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
        return decode_label(record.payload, tenant=record.tenant, sent_at=record.sent_at)
    except InvalidEvent as error:
        return _dead_lettered(error.reason, error.detail)


def decode_label(raw: object, *, tenant: str | None, sent_at: datetime) -> Label:
    """The label that `raw` (JSON bytes or text, or a parsed object) says; raises `InvalidEvent` for all else.

    `tenant` is the only one its sender may label for, and the one of a label that names none; `None` is any.
    """
    if isinstance(raw, bytes | bytearray | str):
        refuse_large(len(raw), MAX_LABEL_BYTES)
        raw = parse_json(raw)
    if not isinstance(raw, Mapping):
        raise InvalidEvent(InvalidReason.NOT_AN_OBJECT, f"the record is {json_type(raw)}: send one JSON object")
    given = cast("Mapping[str, object]", raw)
    fields = {name: given[name] for name in LabelDocument.model_fields if given.get(name) is not None}
    refuse_bad_text(fields)
    document = _validated({"tenant": tenant or "default", **fields})
    if tenant is not None and document.tenant != tenant:
        detail = f"field tenant names another tenant than your token's, {tenant!r}: label only its events"
        raise InvalidEvent(InvalidReason.TENANT_NOT_ALLOWED, detail)
    return Label(
        target=_target(document),
        labelled_at=document.labelled_at or sent_at,
        **document.model_dump(include={"reviewer", "label", "error_type", "note", "correction"}),
    )


def _target(document: LabelDocument) -> Target:
    if document.evaluation_id is not None or document.event_id is None:
        return Target(document.tenant, evaluation_id=document.evaluation_id)
    source = document.source or f"/{document.tenant}/{document.agent}"
    return Target(document.tenant, key=EventKey(document.tenant, source, document.event_id))


def _validated(fields: Mapping[str, Any]) -> LabelDocument:
    try:
        return LabelDocument.model_validate(fields)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in fault["loc"][:2]) or "label"
        if fault["type"] == "missing":
            detail = f"field {path} is absent: a label needs label, reviewer and the event it is of"
            raise InvalidEvent(InvalidReason.MISSING_FIELD, detail) from None
        detail = f"field {path}: {fault['msg'].removeprefix('Value error, ')}, got {shown(fault['input'])}"
        raise InvalidEvent(InvalidReason.INVALID_FIELD, detail) from None
    except RecursionError:
        raise InvalidEvent(InvalidReason.INVALID_FIELD, "a field nests too deep; send a label as documented") from None


def _dead_lettered(reason: InvalidReason, detail: str) -> Outcome:
    return Outcome(kind=OutcomeKind.DEAD_LETTERED, reason=reason.value, detail=detail)
