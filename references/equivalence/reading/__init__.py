"""Reads a query into the SQL that SQLite runs, or says why it cannot.

Change this here when it concerns:

- a dialect in `verify`: `references/equivalence/reading/translation.py`; then a case in
  `tests/cases/equivalence.yaml`
"""
