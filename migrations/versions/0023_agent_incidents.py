"""Keeps the falls of agents, each with its figures and its history.

Revision 0023. An alarm that is on already opens an incident at the next look.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Creates the table."""
    moment = sa.DateTime(timezone=True)
    op.create_table(
        "agent_incidents",
        sa.Column("id", sa.Uuid, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("tenant", "agent", "judge", "evaluator_version")),
        *(sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()) for name in ("fall", "below")),
        *(sa.Column(name, sa.Text) for name in ("agent_version", "version_before")),
        *(sa.Column(name, moment, nullable=False) for name in ("before_since", "since", "until")),
        *(
            sa.Column(name, sa.BigInteger, nullable=False)
            for name in ("answers_before", "wrong_before", "answers_after", "wrong_after")
        ),
        sa.Column("opened_at", moment, nullable=False),
        *(sa.Column(name, moment) for name in ("over_at", "closed_at")),
        sa.Column("explanation", sa.Text),
        sa.Column("history", JSONB, nullable=False),
    )
    op.create_index("agent_incidents_opened", "agent_incidents", ["tenant", "agent", "opened_at"])
    # one fall is one incident, whichever alarms are on
    op.create_index(
        "agent_incidents_one",
        "agent_incidents",
        ["tenant", "agent"],
        unique=True,
        postgresql_where=sa.text("over_at IS NULL"),
    )


def downgrade() -> None:
    """Drops the table, and with it what people noted."""
    op.drop_table("agent_incidents")
