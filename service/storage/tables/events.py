"""The tables with a row for an event: its key, its scores, its labels, its reference and what memory keeps of it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    Identity,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field, SQLModel

from service.storage.tables.columns import Use, column, flag, table, time_column

_FILED = Use.LIST | Use.FILE
_SCORE = Use.SCORE | Use.LIST
_CURRENT_SCORE = "current AND score IS NOT NULL"
TRACE_OF_ROW = "COALESCE(attributes ->> 'trace_id', split_part(record ->> 'traceparent', '-', 2))"
"""The trace of an evaluation's answer: its attribute, else that of its producer; null or empty without one."""


class EventKeyRow(SQLModel, table=True):
    """A stored event and its current row."""

    __tablename__: ClassVar[str] = "event_keys"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        # only retention reads this column and rows arrive roughly in its order, so a B-tree would not pay
        Index("event_keys_occurred_at", "occurred_at", postgresql_using="brin"),
    )

    tenant: str = column(Text, key=True)
    source: str = column(Text, key=True)
    event_id: str = column(Text, key=True)
    payload_hash: str = column(String(64))
    evaluation_id: UUID = column(Uuid)
    occurred_at: datetime = time_column()
    fillable: bool = flag(default=False)


class EvaluationRow(SQLModel, table=True):
    """One event's score, or the reason it has none, by one evaluator, rules version and judge."""

    __tablename__: ClassVar[str] = "evaluations"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Any, ...]] = (
        Index("evaluations_newest", "tenant", text("occurred_at DESC"), text("id DESC")),
        Index("evaluations_agent", "tenant", "agent", "occurred_at"),
        Index("evaluations_worst", "tenant", "p_correct", "score", "id", postgresql_where=text(_CURRENT_SCORE)),
        Index("evaluations_reasons", "reason_codes", postgresql_using="gin"),
        Index("evaluations_judge", "judge"),
        Index(
            "evaluations_trace", text(f"({TRACE_OF_ROW})"), postgresql_where=text(f"current AND {TRACE_OF_ROW} <> ''")
        ),
        Index("evaluations_worst_of_all", "p_correct", "score", "id", postgresql_where=text(_CURRENT_SCORE)),
        Index(
            "evaluations_worst_of_verdict", "verdict", "p_correct", "score", "id", postgresql_where=text(_CURRENT_SCORE)
        ),
        Index(
            "evaluations_version",
            "event",
            "occurred_at",
            "evaluator_version",
            "rules_version",
            "judge",
            "model",
            unique=True,
            postgresql_nulls_not_distinct=True,
        ),
        Index("evaluations_current", "event", "occurred_at", unique=True, postgresql_where=text("current")),
        {"postgresql_partition_by": "RANGE (occurred_at)"},
    )

    occurred_at: datetime = time_column(key=True, use=_FILED)
    id: UUID = column(Uuid, key=True, use=_FILED)
    event: UUID = column(Uuid)
    current: bool = flag(default=True, use=Use.LIST)
    trigger: str = column(Text, use=Use.LIST)
    received_at: datetime = time_column(use=Use.LIST)
    tenant: str = column(Text, use=_FILED)
    agent: str = column(Text, use=_FILED)
    agent_version: str | None = column(Text, null=True, use=_FILED)
    source: str = column(Text, use=_FILED)
    event_id: str = column(Text, use=_FILED)
    question: str = column(Text, use=_FILED)
    enriched_question: str | None = column(Text, null=True, use=_FILED)
    sql: str = column(Text, use=_FILED)
    dialect: str | None = column(Text, null=True, use=_FILED)
    reference_sql: str | None = column(Text, null=True)
    result: dict[str, Any] | None = column(JSONB(none_as_null=True), null=True)
    history: list[dict[str, Any]] | None = column(JSONB(none_as_null=True), null=True)
    withheld: bool = flag(default=False, use=Use.LIST)
    score: float | None = column(Double, null=True, use=_SCORE | _FILED)
    tier: str | None = column(Text, null=True, use=_SCORE | _FILED)
    filter_status: str | None = column(Text, null=True, use=_SCORE | _FILED)
    verdict: str | None = column(Text, null=True, use=_SCORE | _FILED)
    confidence: float | None = column(Double, null=True, use=_SCORE | _FILED)
    p_correct: float | None = column(Double, null=True, use=_SCORE | _FILED)
    p_alone: float | None = column(Double, null=True, use=_SCORE | _FILED)
    context: dict[str, Any] | None = column(JSONB(none_as_null=True), null=True)
    judge: str | None = column(Text, null=True, use=_SCORE | _FILED)
    fallback: bool = flag(default=False, use=_SCORE)
    model: str | None = column(Text, null=True, use=_SCORE)
    prompt_hash: str | None = column(Text, null=True, use=_SCORE)
    tokens_in: int = column(Integer, use=_SCORE)
    tokens_out: int = column(Integer, use=_SCORE)
    cost: float = column(Double, use=_SCORE)
    unscored: str | None = column(Text, null=True, use=_SCORE | _FILED)
    enrichment_status: str | None = column(Text, null=True, use=_SCORE)
    enrichment_score: float | None = column(Double, null=True, use=_SCORE)
    reason_codes: list[str] = column(ARRAY(Text), use=_SCORE | _FILED)
    rules_version: int = column(Integer, use=_SCORE | _FILED)
    evaluator_version: str = column(Text, use=_SCORE | _FILED)
    attributes: dict[str, Any] = column(JSONB)
    record: dict[str, Any] = column(JSONB, use=Use.SCORE)
    slices: list[str] | None = column(ARRAY(Text), null=True)
    """The slices that the record puts the answer into. A trigger writes them with the record."""


class DeferredEventRow(SQLModel, table=True):
    """A deferred event."""

    __tablename__: ClassVar[str] = "deferred_events"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("deferred_events_tenant", "tenant", "due"),)

    tenant: str = column(Text, key=True)
    source: str = column(Text, key=True)
    event_id: str = column(Text, key=True)
    payload: bytes = column(LargeBinary)
    payload_hash: str = column(String(64))
    timestamp: datetime | None = column(DateTime(timezone=True), null=True)
    reason: str = column(Text)
    due: datetime = time_column()
    attempts: int = column(Integer)


class LabelRow(SQLModel, table=True):
    """One reviewer's label of one event's answer."""

    __tablename__: ClassVar[str] = "labels"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Any, ...]] = (
        Index("labels_newest", "tenant", text("labelled_at DESC")),
        CheckConstraint("sampling_probability > 0 AND sampling_probability <= 1", name="labels_sampling_probability"),
    )

    tenant: str = column(Text, key=True)
    source: str = column(Text, key=True)
    event_id: str = column(Text, key=True)
    reviewer: str = column(Text, key=True)
    label: str = column(Text)
    error_type: str | None = column(Text, null=True)
    note: str | None = column(Text, null=True)
    correction: str | None = column(Text, null=True)
    labelled_at: datetime = time_column()
    sampling_probability: float | None = column(Double, null=True)
    blind: bool | None = column(Boolean, null=True)


class ReferenceVerdictRow(SQLModel, table=True):
    """The reference verdict of one event. `due` is set while the event waits for it."""

    __tablename__: ClassVar[str] = "reference_verdicts"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        Index("reference_verdicts_due", "due", postgresql_where=text("due IS NOT NULL")),
        Index("reference_verdicts_occurred_at", "occurred_at", postgresql_using="brin"),
    )

    event: UUID = column(Uuid, key=True)
    tenant: str = column(Text)
    occurred_at: datetime = time_column()
    due: datetime | None = column(DateTime(timezone=True), null=True)
    tries: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    verdict: str = column(Text)
    level: str | None = column(Text, null=True)
    record: dict[str, Any] | None = column(JSONB(none_as_null=True), null=True)
    judged_at: datetime | None = column(DateTime(timezone=True), null=True)


class CanaryAnswerRow(SQLModel, table=True):
    """One asking of a canary: the agent's answer and what its reference says, or why there is no answer."""

    __tablename__: ClassVar[str] = "canary_answers"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        Index("canary_answers_newest", "tenant", "agent", "case_id", text("received_at DESC")),
        Index("canary_answers_due", "due", postgresql_where=text("due IS NOT NULL")),
        Index("canary_answers_received_at", "received_at", postgresql_using="brin"),
    )

    event: UUID = column(Uuid, key=True)
    id: UUID = column(Uuid)
    tenant: str = column(Text)
    source: str = column(Text)
    event_id: str = column(Text)
    agent: str = column(Text)
    agent_version: str | None = column(Text, null=True)
    case_id: str = column(Text)
    occurred_at: datetime = time_column()
    received_at: datetime = time_column()
    question: str = column(Text)
    sql: str = column(Text)
    dialect: str | None = column(Text, null=True)
    reference_sql: str | None = column(Text, null=True)
    failure: str | None = column(Text, null=True)
    due: datetime | None = column(DateTime(timezone=True), null=True)
    tries: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    verdict: str | None = column(Text, null=True)
    level: str | None = column(Text, null=True)
    record: dict[str, Any] | None = column(JSONB(none_as_null=True), null=True)
    judged_at: datetime | None = column(DateTime(timezone=True), null=True)


class RememberedAnswerRow(SQLModel, table=True):
    """What the tenant's memory compares of one scored event's answer."""

    __tablename__: ClassVar[str] = "remembered_answers"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        Index("remembered_answers_question", "tenant", "question_key"),
        Index("remembered_answers_shape", "tenant", "shape", text("remembered_at DESC")),
        Index("remembered_answers_newest", "tenant", text("remembered_at DESC"), text("event DESC")),
        Index("remembered_answers_occurred_at", "occurred_at", postgresql_using="brin"),
    )

    event: UUID = column(Uuid, key=True)
    tenant: str = column(Text)
    source: str = column(Text)
    event_id: str = column(Text)
    agent: str = column(Text)
    speaker: str = column(Text)
    question_key: str = column(Text)
    shape: str = column(Text)
    words: list[int] = column(ARRAY(Integer))
    specification: str = column(Text)
    filters: str = column(Text)
    tables: list[str] = column(ARRAY(Text))
    joins: list[str] = column(ARRAY(Text))
    conditions: list[str] = column(ARRAY(Text))
    raw: float = column(Double)
    units: float = column(Double)
    size: int = column(Integer)
    remembered_at: datetime = time_column()
    occurred_at: datetime = time_column()


class UnsentScoreRow(SQLModel, table=True):
    """An evaluation that a sink has not got yet."""

    __tablename__: ClassVar[str] = "unsent_scores"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("unsent_scores_due", "sink", "due", "id"),)

    id: int = Field(sa_column=Column(BigInteger, Identity(), primary_key=True))
    sink: str = column(Text)
    evaluation: UUID = column(Uuid)
    occurred_at: datetime = time_column()
    due: datetime = time_column()
    tries: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    unknown: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))


CANARY_ANSWERS = table(CanaryAnswerRow)
EVENT_KEYS = table(EventKeyRow)
EVALUATIONS = table(EvaluationRow)
DEFERRED_EVENTS = table(DeferredEventRow)
LABELS = table(LabelRow)
REFERENCE_VERDICTS = table(ReferenceVerdictRow)
REMEMBERED_ANSWERS = table(RememberedAnswerRow)
UNSENT_SCORES = table(UnsentScoreRow)
