"""Adds sums per hour and day, and a trigger that notes for which hours they no longer hold.

Revision 0013. The hours of all stored rows are noted; the workers sum them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0013"
down_revision = "0012"

_CHANGES = {"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"}
# Python has no times beyond these: what is earlier or later belongs to the first or the last hour.
_MOMENT = "least(greatest(occurred_at, timestamptz '0001-01-02 00:00+00'), timestamptz '9999-12-30 00:00+00')"
_STALE = f"SELECT DISTINCT tenant, date_trunc('hour', {_MOMENT}, 'UTC')"


def upgrade() -> None:
    """Adds two tables, a function and three triggers."""
    op.create_table(
        "answer_sums",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        sa.Column("span", sa.Text, nullable=False),
        sa.Column("start", sa.DateTime(timezone=True), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("tenant", "agent")),
        *(sa.Column(name, sa.Text) for name in ("agent_version", "judge")),
        sa.Column("evaluator_version", sa.Text, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("received", "scored", "judged_wrong")),
        *(sa.Column(name, sa.Double, nullable=False) for name in ("score", "p_alone", "p_alone_square")),
        sa.Column("histogram", ARRAY(sa.Integer), nullable=False),
    )
    op.create_index("answer_sums_start", "answer_sums", ["span", "tenant", "start"])
    op.create_table(
        "stale_hours",
        sa.Column("id", sa.BigInteger, sa.Identity(always=True), primary_key=True),
        sa.Column("tenant", sa.Text, nullable=False),
        sa.Column("hour", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("stale_hours_hour", "stale_hours", ["tenant", "hour"])
    op.execute(
        "CREATE FUNCTION note_stale_hours() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        f" INSERT INTO stale_hours (tenant, hour) {_STALE} FROM changed; RETURN NULL; END $$"
    )
    for change, rows in _CHANGES.items():
        op.execute(
            f"CREATE TRIGGER evaluations_{change.lower()} AFTER {change} ON evaluations"
            f" REFERENCING {rows} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_stale_hours()"
        )
    leaves = "SELECT relid::regclass::text FROM pg_partition_tree('evaluations') WHERE isleaf"
    for name in op.get_bind().scalars(sa.text(leaves)).all():
        op.execute(f"INSERT INTO stale_hours (tenant, hour) {_STALE} FROM {name}")
