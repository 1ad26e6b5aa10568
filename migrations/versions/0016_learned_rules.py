"""Adds tenants' learned rules, and which set was in force with a version of the rules.

Revision 0016. Versions stored before have none.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Creates the table, and adds the column, which rewrites no row."""
    op.create_table(
        "tenant_learned_rules",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("document", JSONB, nullable=False),
        sa.Column("labels", sa.Integer, nullable=False),
        sa.Column("accuracy_before", sa.Double),
        sa.Column("accuracy_after", sa.Double),
        sa.Column("forced", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("author", sa.Text),
        sa.Column("promoted_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    op.add_column("tenant_rules", sa.Column("learned_version", sa.BigInteger))


def downgrade() -> None:
    """Drops the column and the table."""
    op.drop_column("tenant_rules", "learned_version")
    op.drop_table("tenant_learned_rules")
