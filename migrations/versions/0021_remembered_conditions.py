"""Remembers the conditions of each answer that its question does not ask for.

Revision 0021. Answers that were remembered before have none; they count as answers that read their tables.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Adds a column."""
    op.add_column(
        "remembered_answers", sa.Column("conditions", ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'"))
    )


def downgrade() -> None:
    """Removes it."""
    op.drop_column("remembered_answers", "conditions")
