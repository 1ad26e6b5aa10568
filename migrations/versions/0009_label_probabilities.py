"""Adds the probability with which a labelled answer was drawn for labelling.

Revision 0009. Labels stored before have none.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Adds the column, which rewrites no row; its check reads the labels, of which there are few."""
    op.add_column("labels", sa.Column("sampling_probability", sa.Double))
    op.create_check_constraint(
        "labels_sampling_probability", "labels", "sampling_probability > 0 AND sampling_probability <= 1"
    )


def downgrade() -> None:
    """Drops the column, and the check with it."""
    op.drop_column("labels", "sampling_probability")
