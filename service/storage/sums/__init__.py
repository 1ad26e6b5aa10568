"""Sums per hour and day, so that reports do not grow with the number of answers.

Change this here when it concerns:

- a figure of the report: `service/storage/sums/` (`statements.py`: which sums; `reading.py`; `keeping.py`),
  `service/storage/scores/reports.py`; then `docs/api.md`, `docs/storage.md`, ADR 0045
"""
