"""Reads databases that the user named, and lets a query do nothing but read their tables.

Change this here when it concerns:

- what a query may do on a named database: `references/databases/vocabulary.py` (words and functions),
  `references/databases/checked_query.py`, `references/databases/fields.py` and `postgres_names.py` (fields that
  call), `references/databases/postgres_role.py`, `references/sqlite_functions.py`; then a case in
  `tests/cases/databases/`
"""
