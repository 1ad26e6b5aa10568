"""Keeps the earlier turns of a conversation, where the event says them.

Revision 0022. Rows stored before have none.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Adds the column, which rewrites no row."""
    op.add_column("evaluations", sa.Column("history", JSONB))


def downgrade() -> None:
    """Removes it."""
    op.drop_column("evaluations", "history")
