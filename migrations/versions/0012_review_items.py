"""Adds the answers that were drawn for labelling, and what each draw is drawn with.

Revision 0012.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Creates both tables."""
    op.create_table(
        "review_draws",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("agent", sa.Text, primary_key=True),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("wanted", sa.Integer, nullable=False),
        sa.Column("spread", sa.Double, nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "review_items",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, primary_key=True),
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("agent", sa.Text, nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("share", sa.Double, nullable=False),
        sa.Column("sampling_probability", sa.Double, nullable=False),
        sa.Column("place", sa.Double, nullable=False),
        sa.Column("drawn_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reviewer", sa.Text),
        sa.Column("leased_until", sa.DateTime(timezone=True)),
        sa.Column("labelled_at", sa.DateTime(timezone=True)),
        sa.CheckConstraint(
            "sampling_probability > 0 AND sampling_probability <= 1", name="review_items_sampling_probability"
        ),
    )
    op.create_index("review_items_agent", "review_items", ["tenant", "agent", "place"])


def downgrade() -> None:
    """Drops both tables."""
    op.drop_table("review_items")
    op.drop_table("review_draws")
