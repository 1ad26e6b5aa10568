"""Adds what people say about answers, and an index that finds the answer of a trace.

Revision 0025. Answers are not stored while the index is made: some seconds for a million.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
_TRACE = "COALESCE(attributes ->> 'trace_id', split_part(record ->> 'traceparent', '-', 2))"


def upgrade() -> None:
    """Creates the table, and the index of every partition."""
    op.create_table(
        "feedback",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "feedback_id")),
        sa.Column("kind", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("source", "event_id", "trace_id", "thumb")),
        sa.Column("stars", sa.Integer),
        *(sa.Column(name, sa.Text) for name in ("edited_sql", "comment", "user_id")),
        sa.Column("satisfied", sa.Boolean),
        *(sa.Column(name, sa.DateTime(timezone=True), nullable=False) for name in ("given_at", "received_at")),
        sa.CheckConstraint("stars BETWEEN 1 AND 5", name="feedback_stars"),
    )
    op.create_index("feedback_event", "feedback", ["tenant", "event_id", "source"])
    op.create_index(
        "feedback_trace", "feedback", ["tenant", "trace_id"], postgresql_where=sa.text("trace_id IS NOT NULL")
    )
    op.create_index("feedback_waiting", "feedback", ["received_at"], postgresql_where=sa.text("event_id IS NULL"))
    op.create_index("feedback_newest", "feedback", ["tenant", sa.text("given_at DESC"), sa.text("feedback_id DESC")])
    op.create_index(
        "evaluations_trace",
        "evaluations",
        [sa.text(f"({_TRACE})")],
        postgresql_where=sa.text(f"current AND {_TRACE} <> ''"),
    )


def downgrade() -> None:
    """Drops the index and the table, and with it what people said."""
    op.drop_index("evaluations_trace", "evaluations")
    op.drop_table("feedback")
