"""Reads the conditions of a query block into filters.

Change this here when a condition of SQL becomes a wrong filter; then a case in `tests/cases/sql/`.
"""

from __future__ import annotations

from scoring.sql.conditions.boolean import conjunction, emit, record

__all__ = ["conjunction", "emit", "record"]
