"""The tables of access: tokens, the secret of sessions, and the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import BigInteger, CheckConstraint, Column, DateTime, Identity, Index, SmallInteger, String, Text, func
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlmodel import Field, SQLModel

from service.storage.tables.columns import column, table


def _made_now() -> Any:
    return Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


class AccessTokenRow(SQLModel, table=True):
    """An access token, of which only the SHA-256 is stored. `tenant` is null for all tenants."""

    __tablename__: ClassVar[str] = "access_tokens"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    id: str = column(Text, key=True)
    name: str = Field(sa_column=Column(Text, nullable=False, unique=True))
    tenant: str | None = column(Text, null=True)
    scopes: list[str] = column(ARRAY(Text))
    digest: str = Field(sa_column=Column(String(64), nullable=False, unique=True))
    created_at: datetime = _made_now()
    expires_at: datetime | None = column(DateTime(timezone=True), null=True)
    revoked_at: datetime | None = column(DateTime(timezone=True), null=True)
    last_used_at: datetime | None = column(DateTime(timezone=True), null=True)


class SessionSecretRow(SQLModel, table=True):
    """The one secret with which the service signs the console's cookies, where no setting gives one."""

    __tablename__: ClassVar[str] = "session_secrets"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Any, ...]] = (CheckConstraint("id = 1", name="session_secrets_one"),)

    id: int = column(SmallInteger, key=True)
    secret: str = column(Text)
    created_at: datetime = _made_now()


class AuditRow(SQLModel, table=True):
    """One change that somebody made. `tenant` is null where it concerns all tenants."""

    __tablename__: ClassVar[str] = "audit_log"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Index, ...]] = (
        Index("audit_log_tenant", "tenant", "id"),
        Index("audit_log_at", "at"),
    )

    id: int = Field(sa_column=Column(BigInteger, Identity(always=True), primary_key=True))
    at: datetime = _made_now()
    tenant: str | None = column(Text, null=True)
    actor: str | None = column(Text, null=True)
    via: str = column(Text)
    action: str = column(Text)
    subject: str | None = column(Text, null=True)
    reviewer: str | None = column(Text, null=True)
    before: dict[str, Any] | None = column(JSONB(none_as_null=True), null=True)
    after: dict[str, Any] | None = column(JSONB(none_as_null=True), null=True)


ACCESS_TOKENS = table(AccessTokenRow)
SESSION_SECRETS = table(SessionSecretRow)
AUDIT_LOG = table(AuditRow)
