"""Adds tenants' calibrations, and which one was in force with a version of the rules.

Revision 0010. Versions stored before have none.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Creates the table, and adds the column, which rewrites no row."""
    op.create_table(
        "tenant_calibrations",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("judge", sa.Text, nullable=False),
        sa.Column("evaluator_version", sa.Text, nullable=False),
        sa.Column("intercept", sa.Double, nullable=False),
        sa.Column("slope", sa.Double, nullable=False),
        sa.Column("labels", sa.Integer, nullable=False),
        sa.Column("labelled_right", sa.Integer, nullable=False),
        sa.Column("loss_before", sa.Double, nullable=False),
        sa.Column("loss_after", sa.Double, nullable=False),
        sa.Column("fitted_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.CheckConstraint(
            "slope >= 0.5 AND slope <= 2 AND intercept >= -2 AND intercept <= 2", name="tenant_calibrations_bounds"
        ),
    )
    op.add_column("tenant_rules", sa.Column("calibration_version", sa.BigInteger))


def downgrade() -> None:
    """Drops the column and the table."""
    op.drop_column("tenant_rules", "calibration_version")
    op.drop_table("tenant_calibrations")
