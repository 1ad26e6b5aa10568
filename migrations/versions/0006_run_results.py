"""Adds what running the SQL gave, where the event says so.

Revision 0006. Rows stored before have none.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Adds the column, which rewrites no row."""
    op.add_column("evaluations", sa.Column("result", JSONB))
