"""The tables of what people and programs keep for the console: runs of benchmarks, and views of its lists."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from sqlalchemy import Index, Integer, Text, Uuid
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import SQLModel

from service.storage.tables.columns import column, table, time_column


class EvalRunRow(SQLModel, table=True):
    """One run of `sqlassay eval run`. A run of the same name replaces it."""

    __tablename__: ClassVar[str] = "eval_runs"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("eval_runs_name", "tenant", "name", unique=True),)

    id: UUID = column(Uuid, key=True)
    tenant: str = column(Text)
    name: str = column(Text)
    answers: list[dict[str, Any]] = column(JSONB)
    cases: int = column(Integer)
    passed: int = column(Integer)
    sent_by: str | None = column(Text, null=True)
    sent_at: datetime = time_column()


class SavedViewRow(SQLModel, table=True):
    """A named filter of a list. Without a tenant it is of all tenants."""

    __tablename__: ClassVar[str] = "saved_views"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (Index("saved_views_tenant", "tenant", "saved_at"),)

    id: UUID = column(Uuid, key=True)
    tenant: str | None = column(Text, null=True)
    name: str = column(Text)
    shows: str = column(Text)
    filters: dict[str, Any] = column(JSONB)
    saved_by: str | None = column(Text, null=True)
    saved_at: datetime = time_column()


EVAL_RUNS = table(EvalRunRow)
SAVED_VIEWS = table(SavedViewRow)
