"""Writes LATERAL and APPLY as joins, which SQLite runs.

Change this here when it concerns:

- which forms of LATERAL are compared: `lowering.py`, `inner_rows.py`; then pairs in `tests/cases/constructs.yaml` and
  queries in `tests/references/test_constructs_on_engines.py`
- of which table a column in LATERAL is: `inner_names.py`
"""
