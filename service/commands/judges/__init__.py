"""`sqlassay judges`: the model that judges.

Change this here when what `sqlassay judges` tries or prints of a model changes; then `docs/judges.md`.
"""
