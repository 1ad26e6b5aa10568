"""The wire contract of feedback: what the person who asked says about the answer."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import Annotated, Self

import orjson
from pydantic import Field, model_validator

from consumers.wire.field_types import Moment, Name
from consumers.wire.said_records import SaidDocument, SaidRecords

_SATISFIED, _DISSATISFIED = 4, 2
"""Stars from which on, and up to which, a person is satisfied or not; three stars say neither."""


class FeedbackKind(StrEnum):
    """Who gives feedback."""

    USER = "user"
    """The person who asked the agent."""


class Thumb(StrEnum):
    """The direction of a thumb."""

    UP = "up"
    DOWN = "down"


class FeedbackDocument(SaidDocument):
    """Feedback as it is sent. The answer is named by `event_id` and its `source` or `agent`, or by `trace_id`."""

    feedback_id: Annotated[str, Field(strict=True, min_length=1, max_length=256)] | None = Field(
        default=None,
        description="Identifies the feedback within its tenant; sent again, the later one counts. Without one, `user`"
        " and the answer identify it, and without `user` its content.",
    )
    kind: FeedbackKind = Field(default=FeedbackKind.USER, description="Who says it: the person who asked.")
    event_id: Annotated[str, Field(strict=True, min_length=1, max_length=256)] | None = Field(
        default=None,
        description="The event's id; with `source`, or with `agent` where the event has the default source.",
    )
    source: Annotated[str, Field(strict=True, min_length=1, max_length=260)] | None = Field(
        default=None, description="The event's source; default `/{tenant}/{agent}`."
    )
    agent: Name = Field(default="default", description="The agent that answered; read where `source` is absent.")
    trace_id: Annotated[str, Field(strict=True, min_length=1, max_length=128)] | None = Field(
        default=None,
        description="The trace of the answer, as the event's attribute `trace_id` or its `traceparent` has it; read"
        " where `event_id` is absent.",
    )
    thumb: Thumb | None = Field(default=None, description="up or down.")
    stars: Annotated[int, Field(strict=True, ge=1, le=5)] | None = Field(default=None, description="One to five.")
    edited_sql: Annotated[str, Field(strict=True, min_length=1, max_length=100_000)] | None = Field(
        default=None, description="The SQL as the person changed it before using it."
    )
    comment: Annotated[str, Field(strict=True, min_length=1, max_length=10_000)] | None = Field(
        default=None, description="What the person wrote."
    )
    user: Name | None = Field(default=None, description="An identifier of the person, best one that says nothing.")
    given_at: Moment | None = Field(
        default=None, description="When it was given; default: when it was sent. Without a zone it is UTC."
    )

    @model_validator(mode="after")
    def _is_about_an_answer_and_says_something(self) -> Self:
        if self.event_id is None and self.trace_id is None:
            raise ValueError("name the answer by event_id and its source or agent, or by trace_id")
        if (self.thumb, self.stars, self.edited_sql, self.comment) == (None,) * 4:
            raise ValueError("feedback needs thumb, stars, edited_sql or comment")
        return self

    @property
    def key(self) -> str:
        """Identifies the feedback within its tenant.

        >>> given = {"trace_id": "t", "thumb": "up", "user": "u1"}
        >>> FeedbackDocument(**given).key == FeedbackDocument(**given | {"thumb": "down"}).key
        True

        So do all ways to name its event.

        >>> given = {"tenant": "bakers", "event_id": "7", "stars": 5, "user": "u1"}
        >>> of_agent = FeedbackDocument(**given, agent="crumb", trace_id="t")
        >>> of_agent.key == FeedbackDocument(**given, source="/bakers/crumb").key
        True
        """
        if self.feedback_id is not None:
            return f"id:{self.feedback_id}"
        said = {"thumb", "stars", "edited_sql", "comment"} if self.user is None else {"user"}
        content = {**self.model_dump(mode="json", include=said), **self._answer}
        digest = hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS))
        return f"sha256:{digest.hexdigest()}"

    @property
    def _answer(self) -> dict[str, str | None]:
        """The answer that it is about, the same however it is named."""
        if self.event_id is None:
            return {"trace_id": self.trace_id}
        return {"event_id": self.event_id, "source": self.event_source}

    @property
    def event_source(self) -> str | None:
        """The source of the event; `None` where only a trace is named."""
        if self.event_id is None:
            return None
        return self.source or f"/{self.tenant}/{self.agent}"

    @property
    def satisfied(self) -> bool | None:
        """Whether the person is satisfied: as the thumb says, else the stars, and not where the SQL was edited.

        >>> about = {"event_id": "7"}
        >>> [FeedbackDocument(**about, stars=each).satisfied for each in (2, 3, 4)]
        [False, None, True]
        >>> FeedbackDocument(**about, edited_sql="SELECT 2").satisfied
        False
        """
        if self.thumb is not None:
            return self.thumb is Thumb.UP
        if self.stars is not None:
            return None if _DISSATISFIED < self.stars < _SATISFIED else self.stars >= _SATISFIED
        return False if self.edited_sql is not None else None


_RECORDS = SaidRecords(
    model=FeedbackDocument,
    name="feedback",
    needs="feedback needs a tenant, its answer and an opinion",
    own_only="write for its events only",
)


def read_feedback_document(raw: object, *, tenant: str | None) -> FeedbackDocument:
    """Reads feedback as `SaidRecords.read` does; raises `InvalidEvent` where it is not feedback."""
    return _RECORDS.read(raw, tenant=tenant)
