"""Adds the agents' alarms: their state, and the answers they have still to take up.

Revision 0011. Answers that are stored already are not taken up: alarms begin with the first answer after it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0011"
down_revision = "0010"

_WHO = "tenant agent judge evaluator_version".split()


def upgrade() -> None:
    """Creates both tables."""
    op.create_table(
        "watched_answers",
        sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
        *(sa.Column(name, sa.Uuid, nullable=False) for name in ("alarm", "event")),
        *(sa.Column(name, sa.Text, nullable=False) for name in _WHO),
        *(sa.Column(name, sa.Double, nullable=False) for name in ("moment", "p_alone", "score")),
        sa.Column("question", sa.BigInteger, nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("watched_answers_alarm", "watched_answers", ["alarm"])
    op.create_table(
        "agent_alarms",
        sa.Column("id", sa.Uuid, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in _WHO),
        sa.Column("state", JSONB, nullable=False),
        *(sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()) for name in ("fall", "below")),
        *(sa.Column(name, sa.Double, nullable=False) for name in ("fall_evidence", "below_evidence")),
        sa.Column("answers", sa.BigInteger, nullable=False),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("agent_alarms_tenant", "agent_alarms", ["tenant"])


def downgrade() -> None:
    """Drops both tables, and with them what the alarms learned."""
    op.drop_table("agent_alarms")
    op.drop_table("watched_answers")
