"""Adds access tokens that are created and revoked by command.

Revision 0005. Tokens of the settings stay valid.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "access_tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("tenant", sa.Text),
        sa.Column("scopes", ARRAY(sa.Text), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        *(sa.Column(name, sa.DateTime(timezone=True)) for name in ("expires_at", "revoked_at", "last_used_at")),
    )
