"""Settings of PostgreSQL, retention and Redis."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr

from service.settings.group import SettingsGroup


class DatabaseSettings(SettingsGroup):
    """PostgreSQL."""

    url: SecretStr | None = Field(
        default=None,
        description="postgresql:// URL as libpq and psql take it, which may name several hosts; "
        "unset starts the embedded PostgreSQL.",
    )
    pool_size: int = Field(default=10, ge=2, le=100, description="Most connections of one process.")
    timeout: float = Field(default=30.0, gt=0, le=600, description="Seconds until a statement counts as failed.")
    pooler: Literal["transaction", "session"] | None = Field(
        default=None,
        description="How a pooler such as PgBouncer, to which the URL leads, lends connections; unset is no pooler.",
    )
    search_index: bool = Field(
        default=True,
        description="`sqlassay migrate` makes the index of questions and SQL that makes searches quick and storing "
        "an answer a little slower. Needs the extension pg_trgm.",
    )


class RetentionSettings(SettingsGroup):
    """How long rows are kept."""

    days: int | None = Field(
        default=None,
        ge=1,
        le=36_500,
        description="Days that rows are kept, by event time, where a tenant's rules say nothing; unset keeps them.",
    )
    audit_days: int = Field(
        default=365, ge=1, le=36_500, description="Days that changes stay in the audit log; `days`, if that is longer."
    )

    def audit_log(self) -> int:
        """Days that changes stay in the audit log: at least as long as the rows that they changed."""
        return max(self.audit_days, self.days or 0)


class RedisSettings(SettingsGroup):
    """The cache that processes share. Without Redis each process has its own."""

    url: SecretStr | None = Field(
        default=None, description="redis://, rediss:// or redis+sentinel:// URL; unset runs without Redis."
    )
    prefix: str = Field(
        default="sqlassay", min_length=1, max_length=64, pattern=r"^[\w.-]+$", description="First part of every key."
    )
    timeout: float = Field(default=0.5, gt=0, le=30, description="Seconds until Redis counts as down.")
