"""Runs a text-to-SQL agent over a benchmark: cases, checks of their answers, rates and comparisons. Pure.

Change this here when it concerns:

- the record or the rates of an evaluation run: `evals/runner/answers.py`, `evals/runner/rates.py`; then
  `docs/eval.md`
- what is taken off around an answer's SQL: `evals/runner/cleaning.py`; then `tests/evals/runner/test_cleaning.py`
- when a run may be released: `evals/runner/gate.py`, `evals/runner/paired_runs.py`; in CI:
  `service/pytest_plugin.py`, `.github/actions/`; then `docs/eval.md`
"""
