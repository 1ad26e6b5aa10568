"""Adds the audit log, and the secret with which the console's cookies are signed.

Revision 0014.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Creates both tables."""
    op.create_table(
        "audit_log",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        *(sa.Column(name, sa.Text) for name in ("tenant", "actor", "subject", "reviewer")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("via", "action")),
        *(sa.Column(name, JSONB) for name in ("before", "after")),
    )
    op.create_index("audit_log_tenant", "audit_log", ["tenant", "id"])
    op.create_index("audit_log_at", "audit_log", ["at"])
    op.create_table(
        "session_secrets",
        sa.Column("id", sa.SmallInteger, primary_key=True, autoincrement=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.CheckConstraint("id = 1", name="session_secrets_one"),
    )


def downgrade() -> None:
    """Drops both tables."""
    op.drop_table("session_secrets")
    op.drop_table("audit_log")
