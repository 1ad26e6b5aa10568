"""Deferred events are taken from each tenant in turn.

Revision 0004.
"""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Indexes deferred events by tenant, then by due time."""
    op.create_index("deferred_events_tenant", "deferred_events", ["tenant", "due"])
    op.drop_index("deferred_events_due", "deferred_events")
