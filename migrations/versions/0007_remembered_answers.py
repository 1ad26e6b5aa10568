"""Adds the tenants' memory: remembered answers, and what each answer was judged with.

Revision 0007. Rows of earlier releases have neither `p_alone` nor `context`: they were judged alone.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Adds two columns and a table."""
    op.add_column("evaluations", sa.Column("p_alone", sa.Double))
    op.add_column("evaluations", sa.Column("context", JSONB))
    names = "tenant source event_id agent speaker question_key shape specification filters".split()
    op.create_table(
        "remembered_answers",
        sa.Column("event", sa.Uuid, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in names),
        sa.Column("words", ARRAY(sa.Integer), nullable=False),
        *(sa.Column(name, ARRAY(sa.Text), nullable=False) for name in ("tables", "joins")),
        *(sa.Column(name, sa.Double, nullable=False) for name in ("raw", "units")),
        sa.Column("size", sa.Integer, nullable=False),
        *(sa.Column(name, sa.DateTime(timezone=True), nullable=False) for name in ("remembered_at", "occurred_at")),
    )
    latest = sa.text("remembered_at DESC")
    table = "remembered_answers"
    op.create_index("remembered_answers_question", table, ["tenant", "question_key"])
    op.create_index("remembered_answers_shape", table, ["tenant", "shape", latest])
    op.create_index("remembered_answers_newest", table, ["tenant", latest, sa.text("event DESC")])
    op.create_index("remembered_answers_occurred_at", table, ["occurred_at"], postgresql_using="brin")
