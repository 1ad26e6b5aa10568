"""Reads the conditions of a query block into filters."""

from __future__ import annotations

from scoring.sql.conditions.boolean import conjunction, emit, record
from scoring.sql.conditions.drafts import FilterDraft, alternatives

__all__ = ["FilterDraft", "alternatives", "conjunction", "emit", "record"]
