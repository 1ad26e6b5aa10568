"""The tables of a tenant: rules, schemas and learned rules."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Double,
    Integer,
    Text,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from service.storage.tables.columns import column, flag, table


class TenantRulesRow(SQLModel, table=True):
    """One version of one tenant's rules. Rows never change, and the highest version is in force."""

    __tablename__: ClassVar[str] = "tenant_rules"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = column(Text, key=True)
    version: int = column(BigInteger, key=True)
    document: dict[str, Any] = column(JSONB)
    schema_version: int | None = column(BigInteger, null=True)
    calibration_version: int | None = column(BigInteger, null=True)
    learned_version: int | None = column(BigInteger, null=True)
    author: str | None = column(Text, null=True)
    created_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


class TenantSchemaRow(SQLModel, table=True):
    """One schema of a tenant's database. Versions of the rules name the one that was in force with them."""

    __tablename__: ClassVar[str] = "tenant_schemas"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = column(Text, key=True)
    version: int = column(BigInteger, key=True)
    document: dict[str, Any] = column(JSONB)


class TenantLearnedRulesRow(SQLModel, table=True):
    """One set of learned rules. Rows never change; each version of the rules names the set in force with it."""

    __tablename__: ClassVar[str] = "tenant_learned_rules"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = column(Text, key=True)
    version: int = column(BigInteger, key=True)
    document: dict[str, Any] = column(JSONB)
    labels: int = column(Integer)
    accuracy_before: float | None = column(Double, null=True)
    accuracy_after: float | None = column(Double, null=True)
    forced: bool = flag(default=False)
    author: str | None = column(Text, null=True)
    promoted_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


TENANT_RULES = table(TenantRulesRow)
TENANT_SCHEMAS = table(TenantSchemaRow)
TENANT_LEARNED_RULES = table(TenantLearnedRulesRow)
