"""Reads a query into the SQL that SQLite runs, or says why it cannot.

Change this here when it concerns:

- a dialect in `verify`: `references/equivalence/reading/translation.py`; then a case in
  `tests/cases/equivalence.yaml`
- LATERAL and APPLY: `references/equivalence/reading/laterals/`; joined texts and percentiles:
  `references/ordered_aggregates.py`, `references/equivalence/reading/ordered_values.py`; `* EXCEPT`:
  `references/equivalence/reading/stars.py`; then pairs in `tests/cases/constructs.yaml` and queries in
  `tests/references/test_constructs_on_engines.py`
"""
