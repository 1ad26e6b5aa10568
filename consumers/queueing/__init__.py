"""Queues that group items and share room fairly. Nothing here knows what an event is.

Change this here when it concerns:

- how often a call or an event is tried again: `Backoff` in `consumers/queueing/retrying.py` (a call, while its server
  is down), `RetryPolicy` in `consumers/evaluation/deferrals.py` (a deferred event); which errors of the database
  count: `translate_errors` in `service/storage/database.py`; then `docs/stream.md`
"""
