"""Adds the answers to canaries.

Revision 0017.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Creates the table."""
    texts = ("tenant", "source", "event_id", "agent", "case_id", "question", "sql")
    optional = ("agent_version", "dialect", "reference_sql", "failure", "verdict", "level")
    op.create_table(
        "canary_answers",
        sa.Column("event", sa.Uuid, primary_key=True),
        sa.Column("id", sa.Uuid, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in texts),
        *(sa.Column(name, sa.Text) for name in optional),
        *(sa.Column(name, sa.DateTime(timezone=True), nullable=False) for name in ("occurred_at", "received_at")),
        *(sa.Column(name, sa.DateTime(timezone=True)) for name in ("due", "judged_at")),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("record", JSONB),
    )
    newest = ["tenant", "agent", "case_id", sa.text("received_at DESC")]
    op.create_index("canary_answers_newest", "canary_answers", newest)
    waits = sa.text("due IS NOT NULL")
    op.create_index("canary_answers_due", "canary_answers", ["due"], postgresql_where=waits)
    op.create_index("canary_answers_received_at", "canary_answers", ["received_at"], postgresql_using="brin")


def downgrade() -> None:
    """Drops the table."""
    op.drop_table("canary_answers")
