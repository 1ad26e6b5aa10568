"""The wire contract of labels: a person's statement about the answer to one event."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Self
from uuid import UUID

from pydantic import Field, model_validator

from consumers.wire.events import (
    InvalidEvent,
    InvalidReason,
)
from consumers.wire.field_types import Moment, Name
from consumers.wire.said_records import SaidDocument, SaidRecords
from consumers.wire.tenants import TenantName


class LabelValue(StrEnum):
    """A reviewer's judgement of an answer."""

    RIGHT = "right"
    """The SQL answers the question."""
    WRONG = "wrong"
    """The SQL does not answer it."""
    UNSURE = "unsure"
    """The reviewer cannot decide; the label is kept but not counted."""


def agreed_label(right: int, wrong: int) -> bool | None:
    """What so many labels of one answer say together: the majority, and nothing where both sides have as many.

    >>> agreed_label(2, 1), agreed_label(0, 1), agreed_label(1, 1)
    (True, False, None)
    """
    return None if right == wrong else right > wrong


class ErrorType(StrEnum):
    """What is wrong with an answer, according to a reviewer."""

    FILTER = "filter"
    """A condition is missing, or there is one too many."""
    VALUE = "value"
    """A condition has the wrong value or operator."""
    TIME = "time"
    """The wrong period or grain of time."""
    COLUMN = "column"
    """The wrong columns are returned or read."""
    AGGREGATION = "aggregation"
    """A function is wrong, missing or not asked for."""
    GROUPING = "grouping"
    """Grouped by the wrong columns, or not at all."""
    JOIN = "join"
    """The wrong tables, or tables joined wrongly."""
    ORDER = "order"
    """The wrong order, or the wrong number of rows."""
    QUESTION = "question"
    """The question was misunderstood as a whole."""
    OTHER = "other"
    """None of these; the note explains it."""


class LabelDocument(SaidDocument):
    """A label as it is sent. The event is named by `evaluation_id`, or by `event_id` and its `source` or `agent`."""

    tenant: TenantName = Field(
        default="default", description="The event's tenant. With `evaluation_id` it may be left out."
    )
    evaluation_id: UUID | None = Field(default=None, description="Any evaluation of the event.")
    event_id: Annotated[str, Field(strict=True, min_length=1, max_length=256)] | None = Field(
        default=None,
        description="The event's id; with `source`, or with `agent` where the event has the default source.",
    )
    source: Annotated[str, Field(strict=True, min_length=1, max_length=260)] | None = Field(
        default=None, description="The event's source; default `/{tenant}/{agent}`."
    )
    agent: Name = Field(default="default", description="The agent that answered; read where `source` is absent.")
    label: LabelValue = Field(description="right, wrong or unsure.")
    error_type: ErrorType | None = Field(default=None, description="What is wrong with the answer.")
    note: Annotated[str, Field(strict=True, max_length=10_000)] | None = Field(default=None, description="For people.")
    correction: Annotated[str, Field(strict=True, max_length=100_000)] | None = Field(
        default=None, description="SQL that answers the question."
    )
    reviewer: Name = Field(
        description="The person who labels; of each reviewer only the latest label of an event is kept."
    )
    blind: Annotated[bool, Field(strict=True)] | None = Field(
        default=None, description="Whether the reviewer had not seen what the judge and other reviewers say."
    )
    labelled_at: Moment | None = Field(
        default=None,
        description="When the answer was labelled; default: when the label was sent. Without a zone it is UTC.",
    )
    sampling_probability: Annotated[float, Field(strict=True, gt=0, le=1)] | None = Field(
        default=None,
        description="The probability with which a sample that you drew took this answer. Needs the scope admin.",
    )

    @model_validator(mode="after")
    def _names_an_event(self) -> Self:
        if self.evaluation_id is None and self.event_id is None:
            raise ValueError("name the event by evaluation_id, or by event_id and its source or agent")
        return self


_RECORDS = SaidRecords(
    model=LabelDocument,
    name="a label",
    needs="a label needs label, reviewer and its event",
    own_only="label only its events",
)


def read_label_document(raw: object, *, tenant: str | None, may_state_probability: bool = False) -> LabelDocument:
    """Reads a label as `SaidRecords.read` does; raises `InvalidEvent` where it is not a label.

    `may_state_probability` says whether the sender may say with which probability the answer was drawn.
    """
    document = _RECORDS.read(raw, tenant=tenant)
    if document.sampling_probability is not None and not may_state_probability:
        detail = (
            f"field sampling_probability: {document.sampling_probability:g} may be stated only by HTTP with a token"
            " that has the scope admin. Leave it out: answers that the service drew have theirs"
        )
        raise InvalidEvent(InvalidReason.INVALID_FIELD, detail)
    return document
