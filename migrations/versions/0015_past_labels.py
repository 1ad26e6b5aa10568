"""Keeps labels that were replaced or withdrawn, whether a label was given blind, and who skipped an answer.

Revision 0015.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0015"
down_revision = "0014"

_KEPT = (
    "tenant, source, event_id, reviewer, label, error_type, note, correction, labelled_at, sampling_probability, blind"
)
_OLD = ", ".join(f"OLD.{name}" for name in _KEPT.split(", "))
_SAID = ("label", "error_type", "note", "correction")


def upgrade() -> None:
    """Adds three columns, a table, and a trigger that fills it."""
    op.add_column("labels", sa.Column("blind", sa.Boolean))
    op.add_column("review_items", sa.Column("skipped_by", ARRAY(sa.Text), nullable=False, server_default="{}"))
    op.add_column("review_items", sa.Column("skipped_at", sa.DateTime(timezone=True)))
    op.create_table(
        "past_labels",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, primary_key=True),
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("reviewer", sa.Text, primary_key=True),
        sa.Column("labelled_at", sa.DateTime(timezone=True), primary_key=True),
        sa.Column("label", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("error_type", "note", "correction")),
        sa.Column("sampling_probability", sa.Double),
        sa.Column("blind", sa.Boolean),
        sa.Column("withdrawn", sa.Boolean, nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
    kept = f"INSERT INTO past_labels ({_KEPT}, withdrawn) VALUES ({_OLD}, false) ON CONFLICT DO NOTHING"  # noqa: S608 constants
    op.execute(
        f"CREATE FUNCTION keep_past_label() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {kept}; RETURN NULL; END $$"
    )
    # forgetting empties texts and raising changes probabilities, and neither is another label: it has another time
    old, new = (", ".join(f"{row}.{name}" for name in _SAID) for row in ("OLD", "NEW"))
    op.execute(
        "CREATE TRIGGER labels_replaced AFTER UPDATE ON labels FOR EACH ROW"
        f" WHEN (OLD.labelled_at <> NEW.labelled_at AND ({old}) IS DISTINCT FROM ({new}))"
        " EXECUTE FUNCTION keep_past_label()"
    )


def downgrade() -> None:
    """Drops what was added, with the labels of the past."""
    op.execute("DROP TRIGGER labels_replaced ON labels")
    op.execute("DROP FUNCTION keep_past_label()")
    op.drop_table("past_labels")
    for name in ("skipped_at", "skipped_by"):
        op.drop_column("review_items", name)
    op.drop_column("labels", "blind")
