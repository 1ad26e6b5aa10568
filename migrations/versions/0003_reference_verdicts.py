"""Adds the verdicts of references, and the answers that wait for one.

Revision 0003. Events stored before have no row.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Creates the table and its indexes."""
    op.create_table(
        "reference_verdicts",
        sa.Column("event", sa.Uuid, primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due", sa.DateTime(timezone=True)),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("level", sa.Text),
        sa.Column("record", JSONB),
        sa.Column("judged_at", sa.DateTime(timezone=True)),
    )
    waits = sa.text("due IS NOT NULL")
    op.create_index("reference_verdicts_due", "reference_verdicts", ["due"], postgresql_where=waits)
    op.create_index("reference_verdicts_occurred_at", "reference_verdicts", ["occurred_at"], postgresql_using="brin")
