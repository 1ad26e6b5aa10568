"""Partitions evaluations by day and allows several for one event; adds deferred events and labels.

Revision 0002. Rows of 0001 are copied, so it needs as much free space as they use. `sqlassay migrate` then moves them
from the default partition to those of their days.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0002"
down_revision = "0001"

_OLD_COLUMNS = """
    occurred_at, id, received_at, tenant, agent, agent_version, source, event_id, question, enriched_question, sql,
    dialect, reference_sql, score, tier, filter_status, verdict, confidence, p_correct, judge, unscored,
    enrichment_status, enrichment_score, reason_codes, rules_version, evaluator_version, attributes, record
"""
# computes EventKey.digest as the code of this revision does
_DIGEST = """
    encode(substr(sha256(convert_to(
        length(tenant) || ':' || tenant || length(source) || ':' || source || event_id, 'UTF8')), 1, 16), 'hex')::uuid
"""


def upgrade() -> None:
    """Creates the new tables and moves every row of 0001 into them."""
    _set_old_evaluations_aside()
    _create_evaluations()
    _index_evaluations()
    op.execute("CREATE TABLE evaluations_other PARTITION OF evaluations DEFAULT")
    op.execute(
        f"INSERT INTO evaluations ({_OLD_COLUMNS}, event, trigger, tokens_in, tokens_out, cost)"  # noqa: S608 constants
        f" SELECT {_OLD_COLUMNS}, {_DIGEST}, 'live', 0, 0, 0 FROM evaluations_0001"
    )
    _widen_event_keys()
    op.drop_table("evaluations_0001")
    _create_deferred_events()
    _create_labels()


def _set_old_evaluations_aside() -> None:
    op.rename_table("evaluations", "evaluations_0001")
    op.execute("ALTER INDEX evaluations_pkey RENAME TO evaluations_0001_pkey")
    for name in ("id", "newest", "agent", "worst", "worst_of_all"):
        op.execute(f"DROP INDEX evaluations_{name}")


def _create_evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("occurred_at", sa.DateTime(timezone=True), primary_key=True),
        sa.Column("id", sa.Uuid, primary_key=True),
        sa.Column("event", sa.Uuid, nullable=False),
        sa.Column("current", sa.Boolean, nullable=False, server_default=sa.true()),
        sa.Column("trigger", sa.Text, nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("tenant", "agent")),
        sa.Column("agent_version", sa.Text),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("source", "event_id", "question")),
        sa.Column("enriched_question", sa.Text),
        sa.Column("sql", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("dialect", "reference_sql")),
        sa.Column("withheld", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("score", sa.Double),
        *(sa.Column(name, sa.Text) for name in ("tier", "filter_status", "verdict")),
        *(sa.Column(name, sa.Double) for name in ("confidence", "p_correct")),
        sa.Column("judge", sa.Text),
        sa.Column("fallback", sa.Boolean, nullable=False, server_default=sa.false()),
        *(sa.Column(name, sa.Text) for name in ("model", "prompt_hash")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("tokens_in", "tokens_out")),
        sa.Column("cost", sa.Double, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("unscored", "enrichment_status")),
        sa.Column("enrichment_score", sa.Double),
        sa.Column("reason_codes", ARRAY(sa.Text), nullable=False),
        sa.Column("rules_version", sa.Integer, nullable=False),
        sa.Column("evaluator_version", sa.Text, nullable=False),
        sa.Column("attributes", JSONB, nullable=False),
        sa.Column("record", JSONB, nullable=False),
        postgresql_partition_by="RANGE (occurred_at)",
    )


def _index_evaluations() -> None:
    scored = sa.text("current AND score IS NOT NULL")
    op.create_index("evaluations_newest", "evaluations", ["tenant", sa.text("occurred_at DESC"), sa.text("id DESC")])
    op.create_index("evaluations_agent", "evaluations", ["tenant", "agent", "occurred_at"])
    op.create_index("evaluations_worst", "evaluations", ["tenant", "p_correct", "score", "id"], postgresql_where=scored)
    op.create_index("evaluations_worst_of_all", "evaluations", ["p_correct", "score", "id"], postgresql_where=scored)
    op.create_index(
        "evaluations_version",
        "evaluations",
        ["event", "occurred_at", "evaluator_version", "rules_version", "judge", "model"],
        unique=True,
        postgresql_nulls_not_distinct=True,
    )
    current = sa.text("current")
    op.create_index(
        "evaluations_current", "evaluations", ["event", "occurred_at"], unique=True, postgresql_where=current
    )


def _widen_event_keys() -> None:
    op.add_column("event_keys", sa.Column("occurred_at", sa.DateTime(timezone=True)))
    op.add_column("event_keys", sa.Column("fillable", sa.Boolean, nullable=False, server_default=sa.false()))
    op.execute(
        """
        UPDATE event_keys SET occurred_at = rows.occurred_at,
            fillable = coalesce(rows.unscored IN ('JUDGE_UNAVAILABLE', 'SCORER_FAILED'), false)
        FROM evaluations_0001 AS rows WHERE rows.id = event_keys.evaluation_id
        """
    )
    op.execute("UPDATE event_keys SET occurred_at = now() WHERE occurred_at IS NULL")
    op.alter_column("event_keys", "occurred_at", nullable=False)
    op.create_index("event_keys_occurred_at", "event_keys", ["occurred_at"], postgresql_using="brin")


def _create_deferred_events() -> None:
    op.create_table(
        "deferred_events",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "source", "event_id")),
        sa.Column("payload", sa.LargeBinary, nullable=False),
        sa.Column("payload_hash", sa.String(64), nullable=False),
        sa.Column("timestamp", sa.DateTime(timezone=True)),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("due", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
    )
    op.create_index("deferred_events_due", "deferred_events", ["due"])


def _create_labels() -> None:
    op.create_table(
        "labels",
        *(sa.Column(name, sa.Text, primary_key=True) for name in ("tenant", "source", "event_id", "reviewer")),
        sa.Column("label", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("error_type", "note", "correction")),
        sa.Column("labelled_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("labels_newest", "labels", ["tenant", sa.text("labelled_at DESC")])
