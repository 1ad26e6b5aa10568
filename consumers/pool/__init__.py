"""Scores the records of all inputs: bounded, and fair between tenants.

Change this here when it concerns:

- what runs outside the event loop: `consumers/pool/scorers.py`, `service/processes/scoring_processes.py`; then
  `docs/stream.md`
- a place where results go: a class for the port `Results` in `consumers/pool/ports.py` (tutorial:
  `docs/tutorials/add-a-sink.md`); then `docs/stream.md`
"""
