"""`sqlassay canary`: asks a live agent questions with known answers, on a schedule.

Change this here when canaries are read, asked or sent in another way; then `docs/references.md`.
"""
