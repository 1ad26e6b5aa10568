"""Forgets how far remembered answers agreed: evaluator 1.5.4 counts agreement on another scale.

Revision 0020. What is usual for a tenant begins at its prior again. The answers themselves stay.
"""

from __future__ import annotations

from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Empties the sums of each answer."""
    op.execute("UPDATE remembered_answers SET raw = 0, units = 0")


def downgrade() -> None:
    """Empties them again: the scale before is another, too."""
    upgrade()
