"""The tables. Rows are only ever added; a row keeps everything needed to explain its score later.

`evaluations` is keyed by (occurred_at, id), so that it can be partitioned by day without touching its readers; the
uniqueness of an event lives in `event_keys`, which is not partitioned.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, cast
from uuid import UUID

from sqlalchemy import BigInteger, Column, DateTime, Double, Index, Integer, String, Table, Text, Uuid, func, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field, SQLModel


def _column(kind: Any, *, key: bool = False, null: bool = False) -> Any:
    return Field(sa_column=Column(kind, primary_key=key, nullable=null))


def _moment(*, key: bool = False) -> Any:
    return _column(DateTime(timezone=True), key=key)


class EventKeyRow(SQLModel, table=True):
    """Which event is already an evaluation."""

    __tablename__: ClassVar[str] = "event_keys"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = _column(Text, key=True)
    source: str = _column(Text, key=True)
    event_id: str = _column(Text, key=True)
    payload_hash: str = _column(String(64))
    evaluation_id: UUID = _column(Uuid)


class EvaluationRow(SQLModel, table=True):
    """One event with its score, or with why it has none."""

    __tablename__: ClassVar[str] = "evaluations"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        Index("evaluations_id", "id"),
        Index("evaluations_newest", "tenant", text("occurred_at DESC"), text("id DESC")),
        Index("evaluations_agent", "tenant", "agent", "occurred_at"),
        Index("evaluations_worst", "tenant", "p_correct", "score", "id", postgresql_where=text("score IS NOT NULL")),
        Index("evaluations_worst_of_all", "p_correct", "score", "id", postgresql_where=text("score IS NOT NULL")),
    )

    occurred_at: datetime = _moment(key=True)
    id: UUID = _column(Uuid, key=True)
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
    score: float | None = _column(Double, null=True)
    tier: str | None = _column(Text, null=True)
    filter_status: str | None = _column(Text, null=True)
    verdict: str | None = _column(Text, null=True)
    confidence: float | None = _column(Double, null=True)
    p_correct: float | None = _column(Double, null=True)
    judge: str | None = _column(Text, null=True)
    unscored: str | None = _column(Text, null=True)
    enrichment_status: str | None = _column(Text, null=True)
    enrichment_score: float | None = _column(Double, null=True)
    reason_codes: list[str] = _column(ARRAY(Text))
    rules_version: int = _column(Integer)
    evaluator_version: str = _column(Text)
    attributes: dict[str, Any] = _column(JSONB)
    record: dict[str, Any] = _column(JSONB)


class TenantRulesRow(SQLModel, table=True):
    """One version of one tenant's rules; never changed, the highest is in force."""

    __tablename__: ClassVar[str] = "tenant_rules"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = _column(Text, key=True)
    version: int = _column(BigInteger, key=True)
    document: dict[str, Any] = _column(JSONB)
    author: str | None = _column(Text, null=True)
    created_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


def _table(model: type[SQLModel]) -> Table:
    return cast("Table", getattr(model, "__table__"))  # noqa: B009 SQLModel does not declare it


EVENT_KEYS = _table(EventKeyRow)
EVALUATIONS = _table(EvaluationRow)
TENANT_RULES = _table(TenantRulesRow)
