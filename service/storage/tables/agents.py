"""The tables with sums and alarms over the answers of an agent."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Double,
    Identity,
    Index,
    Integer,
    Text,
    Uuid,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field, SQLModel

from service.storage.tables.columns import column, flag, table, time_column


class WatchedAnswerRow(SQLModel, table=True):
    """A scored answer that its agent's alarm has not counted yet."""

    __tablename__: ClassVar[str] = "watched_answers"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("watched_answers_alarm", "alarm"),)

    id: int = Field(sa_column=Column(BigInteger, Identity(), primary_key=True))
    alarm: UUID = column(Uuid)
    event: UUID = column(Uuid)
    tenant: str = column(Text)
    agent: str = column(Text)
    judge: str = column(Text)
    evaluator_version: str = column(Text)
    moment: float = column(Double)
    p_alone: float = column(Double)
    score: float = column(Double)
    question: int = column(BigInteger)
    received_at: datetime = time_column()


class AgentAlarmRow(SQLModel, table=True):
    """The alarms of one agent under one judge and evaluator."""

    __tablename__: ClassVar[str] = "agent_alarms"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("agent_alarms_tenant", "tenant"),)

    id: UUID = column(Uuid, key=True)
    tenant: str = column(Text)
    agent: str = column(Text)
    judge: str = column(Text)
    evaluator_version: str = column(Text)
    state: dict[str, Any] = column(JSONB)
    fall: bool = flag(default=False)
    below: bool = flag(default=False)
    fall_evidence: float = column(Double)
    below_evidence: float = column(Double)
    answers: int = column(BigInteger)
    answered_at: datetime = time_column()


class AgentIncidentRow(SQLModel, table=True):
    """One fall of an agent: its figures, and what became of it. At most one of an agent is not over."""

    __tablename__: ClassVar[str] = "agent_incidents"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        Index("agent_incidents_opened", "tenant", "agent", "opened_at"),
        Index("agent_incidents_one", "tenant", "agent", unique=True, postgresql_where=text("over_at IS NULL")),
    )

    id: UUID = column(Uuid, key=True)
    tenant: str = column(Text)
    agent: str = column(Text)
    judge: str = column(Text)
    evaluator_version: str = column(Text)
    fall: bool = flag(default=False)
    below: bool = flag(default=False)
    agent_version: str | None = column(Text, null=True)
    version_before: str | None = column(Text, null=True)
    before_since: datetime = time_column()
    since: datetime = time_column()
    until: datetime = time_column()
    answers_before: int = column(BigInteger)
    wrong_before: int = column(BigInteger)
    answers_after: int = column(BigInteger)
    wrong_after: int = column(BigInteger)
    opened_at: datetime = time_column()
    over_at: datetime | None = column(DateTime(timezone=True), null=True)
    closed_at: datetime | None = column(DateTime(timezone=True), null=True)
    explanation: str | None = column(Text, null=True)
    history: list[dict[str, Any]] = column(JSONB)


class AnswerSumsRow(SQLModel, table=True):
    """Sums over the current answers of one agent, version, judge and evaluator in one hour, or in one day."""

    __tablename__: ClassVar[str] = "answer_sums"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("answer_sums_start", "span", "tenant", "start"),)

    id: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    span: str = column(Text)
    start: datetime = time_column()
    tenant: str = column(Text)
    agent: str = column(Text)
    agent_version: str | None = column(Text, null=True)
    judge: str | None = column(Text, null=True)
    evaluator_version: str = column(Text)
    received: int = column(BigInteger)
    scored: int = column(BigInteger)
    judged_wrong: int = column(BigInteger)
    score: float = column(Double)
    p_alone: float = column(Double)
    p_alone_square: float = column(Double)
    histogram: list[int] = column(ARRAY(Integer))


class StaleHourRow(SQLModel, table=True):
    """A change to an hour of a tenant that its sums lack. A trigger on `evaluations` writes it."""

    __tablename__: ClassVar[str] = "stale_hours"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("stale_hours_hour", "tenant", "hour"),)

    id: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    tenant: str = column(Text)
    hour: datetime = time_column()


WATCHED_ANSWERS = table(WatchedAnswerRow)
AGENT_ALARMS = table(AgentAlarmRow)
AGENT_INCIDENTS = table(AgentIncidentRow)
ANSWER_SUMS = table(AnswerSumsRow)
STALE_HOURS = table(StaleHourRow)
