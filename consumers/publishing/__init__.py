"""What the service publishes: events for its workers, and results for other systems.

Change this here when it concerns:

- the fields of a published result: `consumers/publishing/result_messages.py`; then `docs/stream.md`
"""
