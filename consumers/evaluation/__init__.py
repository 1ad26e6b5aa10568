"""What became of one event: its evaluation, its outcome, its deferral and its stage timings.

Change this here when it concerns:

- traces and exported results: `consumers/evaluation/timings.py`, `service/telemetry/`; then `docs/operations.md`
"""
