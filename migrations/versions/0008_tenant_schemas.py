"""Adds schemas of the tenants' databases, and which one was in force with a version of the rules.

Revision 0008. Versions stored before have none.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Creates the table, and adds the column, which rewrites no row."""
    op.create_table(
        "tenant_schemas",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("document", JSONB, nullable=False),
    )
    op.add_column("tenant_rules", sa.Column("schema_version", sa.BigInteger))
