"""Adds indexes of the judge and of the verdict, so that lists by a rare judge or of the worst with a verdict are quick.

Revision 0019. Answers are not stored while they are made: six seconds for a million.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Creates the indexes of every partition."""
    op.create_index("evaluations_judge", "evaluations", ["judge"])
    op.create_index(
        "evaluations_worst_of_verdict",
        "evaluations",
        ["verdict", "p_correct", "score", "id"],
        postgresql_where=sa.text("current AND score IS NOT NULL"),
    )


def downgrade() -> None:
    """Drops the indexes."""
    op.drop_index("evaluations_worst_of_verdict", "evaluations")
    op.drop_index("evaluations_judge", "evaluations")
