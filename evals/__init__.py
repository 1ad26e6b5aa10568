"""Measures judges and agents: against labels, over benchmarks, and from one week to the next.

Change this here when it concerns:

- what a canary's result is, and what its metrics count: `evals/canary_results.py`; asking:
  `service/commands/canary/`; storage: `service/storage/canaries/`; then `docs/references.md`
- how two versions are compared: `evals/version_comparison.py` (kinds, flipped questions),
  `service/storage/scores/version_answers.py`; what differs in their SQL: `service/console/answer/differences.py`; the
  pages: `service/console/comparing/compare_pages.py`; then `tests/evals/test_version_comparison.py`, `docs/console.md`
- a figure about a judge: `evals/agreement.py`, a line in `evals/report.py`
"""
