"""The tables. A row holds everything needed to explain its score later.

`evaluations` is partitioned by the day of the event. `event_keys` is not, and keeps events unique. Indexes hold an
event's key as its digest (`EventKey.digest`), because its names may be longer than an index entry allows.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, cast
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
    Table,
    Text,
    Uuid,
    false,
    func,
    text,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field, SQLModel

from service.storage import review_tables


def _column(kind: Any, *, key: bool = False, null: bool = False) -> Any:
    return Field(sa_column=Column(kind, primary_key=key, nullable=null))


def _moment(*, key: bool = False) -> Any:
    return _column(DateTime(timezone=True), key=key)


def _flag(*, default: bool) -> Any:
    return Field(sa_column=Column(Boolean, nullable=False, server_default=true() if default else false()))


_CURRENT_SCORE = "current AND score IS NOT NULL"


class EventKeyRow(SQLModel, table=True):
    """A stored event and its current row."""

    __tablename__: ClassVar[str] = "event_keys"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        # only retention reads this column and rows arrive roughly in its order, so a B-tree would not pay
        Index("event_keys_occurred_at", "occurred_at", postgresql_using="brin"),
    )

    tenant: str = _column(Text, key=True)
    source: str = _column(Text, key=True)
    event_id: str = _column(Text, key=True)
    payload_hash: str = _column(String(64))
    evaluation_id: UUID = _column(Uuid)
    occurred_at: datetime = _moment()
    fillable: bool = _flag(default=False)


class EvaluationRow(SQLModel, table=True):
    """One event's score, or the reason it has none, by one evaluator, rules version and judge."""

    __tablename__: ClassVar[str] = "evaluations"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Any, ...]] = (
        Index("evaluations_newest", "tenant", text("occurred_at DESC"), text("id DESC")),
        Index("evaluations_agent", "tenant", "agent", "occurred_at"),
        Index("evaluations_worst", "tenant", "p_correct", "score", "id", postgresql_where=text(_CURRENT_SCORE)),
        Index("evaluations_worst_of_all", "p_correct", "score", "id", postgresql_where=text(_CURRENT_SCORE)),
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

    occurred_at: datetime = _moment(key=True)
    id: UUID = _column(Uuid, key=True)
    event: UUID = _column(Uuid)
    current: bool = _flag(default=True)
    trigger: str = _column(Text)
    received_at: datetime = _moment()
    tenant: str = _column(Text)
    agent: str = _column(Text)
    agent_version: str | None = _column(Text, null=True)
    source: str = _column(Text)
    event_id: str = _column(Text)
    question: str = _column(Text)
    enriched_question: str | None = _column(Text, null=True)
    sql: str = _column(Text)
    dialect: str | None = _column(Text, null=True)
    reference_sql: str | None = _column(Text, null=True)
    result: dict[str, Any] | None = _column(JSONB(none_as_null=True), null=True)
    withheld: bool = _flag(default=False)
    score: float | None = _column(Double, null=True)
    tier: str | None = _column(Text, null=True)
    filter_status: str | None = _column(Text, null=True)
    verdict: str | None = _column(Text, null=True)
    confidence: float | None = _column(Double, null=True)
    p_correct: float | None = _column(Double, null=True)
    p_alone: float | None = _column(Double, null=True)
    context: dict[str, Any] | None = _column(JSONB(none_as_null=True), null=True)
    judge: str | None = _column(Text, null=True)
    fallback: bool = _flag(default=False)
    model: str | None = _column(Text, null=True)
    prompt_hash: str | None = _column(Text, null=True)
    tokens_in: int = _column(Integer)
    tokens_out: int = _column(Integer)
    cost: float = _column(Double)
    unscored: str | None = _column(Text, null=True)
    enrichment_status: str | None = _column(Text, null=True)
    enrichment_score: float | None = _column(Double, null=True)
    reason_codes: list[str] = _column(ARRAY(Text))
    rules_version: int = _column(Integer)
    evaluator_version: str = _column(Text)
    attributes: dict[str, Any] = _column(JSONB)
    record: dict[str, Any] = _column(JSONB)


class DeferredEventRow(SQLModel, table=True):
    """A deferred event."""

    __tablename__: ClassVar[str] = "deferred_events"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("deferred_events_tenant", "tenant", "due"),)

    tenant: str = _column(Text, key=True)
    source: str = _column(Text, key=True)
    event_id: str = _column(Text, key=True)
    payload: bytes = _column(LargeBinary)
    payload_hash: str = _column(String(64))
    timestamp: datetime | None = _column(DateTime(timezone=True), null=True)
    reason: str = _column(Text)
    due: datetime = _moment()
    attempts: int = _column(Integer)


class LabelRow(SQLModel, table=True):
    """One reviewer's label of one event's answer."""

    __tablename__: ClassVar[str] = "labels"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Any, ...]] = (
        Index("labels_newest", "tenant", text("labelled_at DESC")),
        CheckConstraint("sampling_probability > 0 AND sampling_probability <= 1", name="labels_sampling_probability"),
    )

    tenant: str = _column(Text, key=True)
    source: str = _column(Text, key=True)
    event_id: str = _column(Text, key=True)
    reviewer: str = _column(Text, key=True)
    label: str = _column(Text)
    error_type: str | None = _column(Text, null=True)
    note: str | None = _column(Text, null=True)
    correction: str | None = _column(Text, null=True)
    labelled_at: datetime = _moment()
    sampling_probability: float | None = _column(Double, null=True)


class ReferenceVerdictRow(SQLModel, table=True):
    """The reference verdict of one event. `due` is set while the event waits for it."""

    __tablename__: ClassVar[str] = "reference_verdicts"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        Index("reference_verdicts_due", "due", postgresql_where=text("due IS NOT NULL")),
        Index("reference_verdicts_occurred_at", "occurred_at", postgresql_using="brin"),
    )

    event: UUID = _column(Uuid, key=True)
    tenant: str = _column(Text)
    occurred_at: datetime = _moment()
    due: datetime | None = _column(DateTime(timezone=True), null=True)
    tries: int = Field(sa_column=Column(Integer, nullable=False, server_default="0"))
    verdict: str = _column(Text)
    level: str | None = _column(Text, null=True)
    record: dict[str, Any] | None = _column(JSONB(none_as_null=True), null=True)
    judged_at: datetime | None = _column(DateTime(timezone=True), null=True)


class RememberedAnswerRow(SQLModel, table=True):
    """What the tenant's memory compares of one scored event's answer."""

    __tablename__: ClassVar[str] = "remembered_answers"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        Index("remembered_answers_question", "tenant", "question_key"),
        Index("remembered_answers_shape", "tenant", "shape", text("remembered_at DESC")),
        Index("remembered_answers_newest", "tenant", text("remembered_at DESC"), text("event DESC")),
        Index("remembered_answers_occurred_at", "occurred_at", postgresql_using="brin"),
    )

    event: UUID = _column(Uuid, key=True)
    tenant: str = _column(Text)
    source: str = _column(Text)
    event_id: str = _column(Text)
    agent: str = _column(Text)
    speaker: str = _column(Text)
    question_key: str = _column(Text)
    shape: str = _column(Text)
    words: list[int] = _column(ARRAY(Integer))
    specification: str = _column(Text)
    filters: str = _column(Text)
    tables: list[str] = _column(ARRAY(Text))
    joins: list[str] = _column(ARRAY(Text))
    raw: float = _column(Double)
    units: float = _column(Double)
    size: int = _column(Integer)
    remembered_at: datetime = _moment()
    occurred_at: datetime = _moment()


class WatchedAnswerRow(SQLModel, table=True):
    """A scored answer that the alarm of its agent has still to take up."""

    __tablename__: ClassVar[str] = "watched_answers"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("watched_answers_alarm", "alarm"),)

    id: int = Field(sa_column=Column(BigInteger, Identity(), primary_key=True))
    alarm: UUID = _column(Uuid)
    event: UUID = _column(Uuid)
    tenant: str = _column(Text)
    agent: str = _column(Text)
    judge: str = _column(Text)
    evaluator_version: str = _column(Text)
    moment: float = _column(Double)
    p_alone: float = _column(Double)
    score: float = _column(Double)
    question: int = _column(BigInteger)
    received_at: datetime = _moment()


class AgentAlarmRow(SQLModel, table=True):
    """The alarms of one agent under one judge and evaluator."""

    __tablename__: ClassVar[str] = "agent_alarms"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("agent_alarms_tenant", "tenant"),)

    id: UUID = _column(Uuid, key=True)
    tenant: str = _column(Text)
    agent: str = _column(Text)
    judge: str = _column(Text)
    evaluator_version: str = _column(Text)
    state: dict[str, Any] = _column(JSONB)
    fall: bool = _flag(default=False)
    below: bool = _flag(default=False)
    fall_evidence: float = _column(Double)
    below_evidence: float = _column(Double)
    answers: int = _column(BigInteger)
    answered_at: datetime = _moment()


class TenantRulesRow(SQLModel, table=True):
    """One version of one tenant's rules. Rows never change, and the highest version is in force."""

    __tablename__: ClassVar[str] = "tenant_rules"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = _column(Text, key=True)
    version: int = _column(BigInteger, key=True)
    document: dict[str, Any] = _column(JSONB)
    schema_version: int | None = _column(BigInteger, null=True)
    calibration_version: int | None = _column(BigInteger, null=True)
    author: str | None = _column(Text, null=True)
    created_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


class TenantSchemaRow(SQLModel, table=True):
    """One schema of a tenant's database. Versions of the rules name the one that was in force with them."""

    __tablename__: ClassVar[str] = "tenant_schemas"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = _column(Text, key=True)
    version: int = _column(BigInteger, key=True)
    document: dict[str, Any] = _column(JSONB)


class AccessTokenRow(SQLModel, table=True):
    """An access token, of which only the SHA-256 is stored. `tenant` is null for all tenants."""

    __tablename__: ClassVar[str] = "access_tokens"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    id: str = _column(Text, key=True)
    name: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    tenant: str | None = _column(Text, null=True)
    scopes: list[str] = _column(ARRAY(Text))
    digest: str = Field(sa_column=Column(String(64), nullable=False, unique=True))
    created_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))
    expires_at: datetime | None = _column(DateTime(timezone=True), null=True)
    revoked_at: datetime | None = _column(DateTime(timezone=True), null=True)
    last_used_at: datetime | None = _column(DateTime(timezone=True), null=True)


def _table(model: type[SQLModel]) -> Table:
    return cast("Table", getattr(model, "__table__"))  # noqa: B009 SQLModel does not declare it


EVENT_KEYS = _table(EventKeyRow)
EVALUATIONS = _table(EvaluationRow)
DEFERRED_EVENTS = _table(DeferredEventRow)
LABELS = _table(LabelRow)
REVIEW_DRAWS, REVIEW_ITEMS = review_tables.REVIEW_DRAWS, review_tables.REVIEW_ITEMS
REFERENCE_VERDICTS = _table(ReferenceVerdictRow)
REMEMBERED_ANSWERS = _table(RememberedAnswerRow)
WATCHED_ANSWERS = _table(WatchedAnswerRow)
AGENT_ALARMS = _table(AgentAlarmRow)
TENANT_RULES = _table(TenantRulesRow)
TENANT_SCHEMAS = _table(TenantSchemaRow)
TENANT_CALIBRATIONS = review_tables.TENANT_CALIBRATIONS
ACCESS_TOKENS = _table(AccessTokenRow)
