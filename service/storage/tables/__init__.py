"""The tables. A row holds everything needed to explain its score later.

`evaluations` is partitioned by the day of the event. `event_keys` is not, and keeps events unique. Indexes hold an
event's key as its digest (`EventKey.digest`), because its names may be longer than an index entry allows.

Change this here when it concerns:

- a table: `service/storage/tables/`, `tests/storage/column_kinds.py` (what each column may hold of a person) and a
  new file in `migrations/versions/`; then `docs/storage.md`
"""

from __future__ import annotations

from service.storage.tables.access import ACCESS_TOKENS, AUDIT_LOG, SESSION_SECRETS
from service.storage.tables.agents import (
    AGENT_ALARMS,
    AGENT_INCIDENTS,
    ANSWER_SUMS,
    STALE_HOURS,
    WATCHED_ANSWERS,
)
from service.storage.tables.columns import METADATA
from service.storage.tables.console import EVAL_RUNS, SAVED_VIEWS
from service.storage.tables.events import (
    CANARY_ANSWERS,
    DEFERRED_EVENTS,
    EVALUATIONS,
    EVENT_KEYS,
    LABELS,
    REFERENCE_VERDICTS,
    REMEMBERED_ANSWERS,
    UNSENT_SCORES,
)
from service.storage.tables.review import FEEDBACK, PAST_LABELS, REVIEW_DRAWS, REVIEW_ITEMS, TENANT_CALIBRATIONS
from service.storage.tables.tenants import TENANT_LEARNED_RULES, TENANT_RULES, TENANT_SCHEMAS

__all__ = [
    "ACCESS_TOKENS",
    "AGENT_ALARMS",
    "AGENT_INCIDENTS",
    "ANSWER_SUMS",
    "AUDIT_LOG",
    "CANARY_ANSWERS",
    "DEFERRED_EVENTS",
    "EVALUATIONS",
    "EVAL_RUNS",
    "EVENT_KEYS",
    "FEEDBACK",
    "LABELS",
    "METADATA",
    "PAST_LABELS",
    "REFERENCE_VERDICTS",
    "REMEMBERED_ANSWERS",
    "REVIEW_DRAWS",
    "REVIEW_ITEMS",
    "SAVED_VIEWS",
    "SESSION_SECRETS",
    "STALE_HOURS",
    "TENANT_CALIBRATIONS",
    "TENANT_LEARNED_RULES",
    "TENANT_RULES",
    "TENANT_SCHEMAS",
    "UNSENT_SCORES",
    "WATCHED_ANSWERS",
]
