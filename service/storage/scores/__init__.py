"""Evaluations in PostgreSQL: how they are written, scored again, listed and reported.

Change this here when it concerns:

- how answers are grouped into slices, or when a slice counts as worse: `service/storage/scores/slice_parts.py` (the
  groups), `service/storage/slices/`, `evals/slices/` (the figures; `significance.py` has the test); then
  `docs/trust.md`, `tests/evals/test_slices.py`
"""
