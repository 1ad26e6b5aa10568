"""Adds the scores that a sink has not got yet.

Revision 0024. Evaluations that are stored already are not sent: sinks begin with the first one after it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    """Creates the table."""
    op.create_table(
        "unsent_scores",
        sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
        sa.Column("sink", sa.Text, nullable=False),
        sa.Column("evaluation", sa.Uuid, nullable=False),
        *(sa.Column(name, sa.DateTime(timezone=True), nullable=False) for name in ("occurred_at", "due")),
        *(sa.Column(name, sa.Integer, nullable=False, server_default="0") for name in ("tries", "unknown")),
    )
    op.create_index("unsent_scores_due", "unsent_scores", ["sink", "due", "id"])


def downgrade() -> None:
    """Drops the table, and with it what is not sent yet."""
    op.drop_table("unsent_scores")
