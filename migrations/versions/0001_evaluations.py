"""Creates event keys, evaluations and the tenants' rules.

Revision 0001, the first.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Creates the three tables and their indexes."""
    _create_event_keys()
    _create_evaluations()
    _index_evaluations()
    _create_tenant_rules()


def _create_event_keys() -> None:
    op.create_table(
        "event_keys",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("source", sa.Text, primary_key=True),
        sa.Column("event_id", sa.Text, primary_key=True),
        sa.Column("payload_hash", sa.String(64), nullable=False),
        sa.Column("evaluation_id", sa.Uuid, nullable=False),
    )


def _create_evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("occurred_at", sa.DateTime(timezone=True), primary_key=True),
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("tenant", "agent")),
        sa.Column("agent_version", sa.Text),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("source", "event_id", "question")),
        sa.Column("enriched_question", sa.Text),
        sa.Column("sql", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("dialect", "reference_sql")),
        sa.Column("score", sa.Double),
        *(sa.Column(name, sa.Text) for name in ("tier", "filter_status", "verdict")),
        *(sa.Column(name, sa.Double) for name in ("confidence", "p_correct")),
        *(sa.Column(name, sa.Text) for name in ("judge", "unscored", "enrichment_status")),
        sa.Column("enrichment_score", sa.Double),
        sa.Column("reason_codes", ARRAY(sa.Text), nullable=False),
        sa.Column("rules_version", sa.Integer, nullable=False),
        sa.Column("evaluator_version", sa.Text, nullable=False),
        sa.Column("attributes", JSONB, nullable=False),
        sa.Column("record", JSONB, nullable=False),
    )


def _index_evaluations() -> None:
    scored = sa.text("score IS NOT NULL")
    op.create_index("evaluations_id", "evaluations", ["id"])
    op.create_index("evaluations_newest", "evaluations", ["tenant", sa.text("occurred_at DESC"), sa.text("id DESC")])
    op.create_index("evaluations_agent", "evaluations", ["tenant", "agent", "occurred_at"])
    op.create_index("evaluations_worst", "evaluations", ["tenant", "p_correct", "score", "id"], postgresql_where=scored)
    op.create_index("evaluations_worst_of_all", "evaluations", ["p_correct", "score", "id"], postgresql_where=scored)


def _create_tenant_rules() -> None:
    op.create_table(
        "tenant_rules",
        sa.Column("tenant", sa.Text, primary_key=True),
        sa.Column("version", sa.BigInteger, primary_key=True),
        sa.Column("document", JSONB, nullable=False),
        sa.Column("author", sa.Text),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
    )
