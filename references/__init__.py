"""Says whether two queries mean the same, by running both and by bounded equivalence on throw-away databases.

Change this here when it concerns:

- which names of tables mean one table: `references/names.py`, `references/equivalence/reading/bare_names.py`; then
  `tests/cases/qualified_names.yaml`
- which name of a query means a table of a named database: `references/databases/qualified.py`
- what is read from DDL, or from constraints given with it: `references/ddl.py`, `references/declarations.py`,
  `references/tsql_ddl.py`, `references/given_constraints.py`; conditions on rows:
  `references/equivalence/reading/checks.py`, `references/equivalence/data/row_rules.py`; then
  `tests/cases/constraints.yaml`
- what `verify` knows of dates: `references/date_functions.py` (what runs), `references/equivalence/reading/dates.py`
  (dialects), `references/equivalence/proof/date_calls.py` (the proof); then pairs in `tests/cases/dates.yaml`,
  functions in `tests/references/test_dates.py`
- what a reference says about an answer: `references/judging.py`, `references/reference_verdict.py`; when and where:
  `consumers/judge_references.py`, `service/processes/reference_processes.py`; then `docs/references.md`
- what makes the result of a reference or of gold SQL open: `references/lint.py` (the doubts),
  `references/databases/row_orders.py` (reversed tables); then `docs/references.md`, `tests/references/test_lint.py`
"""
