"""The tables of a tenant: rules and schemas."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    Column,
    DateTime,
    Text,
    func,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, SQLModel

from service.storage.tables.columns import column, table


class TenantRulesRow(SQLModel, table=True):
    """One version of one tenant's rules. Rows never change, and the highest version is in force."""

    __tablename__: ClassVar[str] = "tenant_rules"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = column(Text, key=True)
    version: int = column(BigInteger, key=True)
    document: dict[str, Any] = column(JSONB)
    schema_version: int | None = column(BigInteger, null=True)
    calibration_version: int | None = column(BigInteger, null=True)
    author: str | None = column(Text, null=True)
    created_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


class TenantSchemaRow(SQLModel, table=True):
    """One schema of a tenant's database. Versions of the rules name the one that was in force with them."""

    __tablename__: ClassVar[str] = "tenant_schemas"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = column(Text, key=True)
    version: int = column(BigInteger, key=True)
    document: dict[str, Any] = column(JSONB)


TENANT_RULES = table(TenantRulesRow)
TENANT_SCHEMAS = table(TenantSchemaRow)
