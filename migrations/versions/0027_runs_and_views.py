"""Adds runs of benchmarks and saved views of the console.

Revision 0027.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    """Creates both tables."""
    op.create_table(
        "eval_runs",
        sa.Column("id", sa.Uuid, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("tenant", "name")),
        sa.Column("answers", JSONB, nullable=False),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("cases", "passed")),
        sa.Column("sent_by", sa.Text),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("eval_runs_name", "eval_runs", ["tenant", "name"], unique=True)
    op.create_table(
        "saved_views",
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("tenant", sa.Text),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("name", "shows")),
        sa.Column("filters", JSONB, nullable=False),
        sa.Column("saved_by", sa.Text),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("saved_views_tenant", "saved_views", ["tenant", "saved_at"])


def downgrade() -> None:
    """Drops both."""
    op.drop_table("saved_views")
    op.drop_table("eval_runs")
