"""`sqlassay dead-letters` and `skip`: what could not be scored, and what cannot be read.

Change this here when dead letters are listed or replayed, or batches skipped, in another way; then `docs/stream.md`.
"""
