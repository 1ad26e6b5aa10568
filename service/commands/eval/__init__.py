"""`sqlassay eval`: the commands that measure judges and agents.

Change this here when `sqlassay eval` gets a command, or a judge is measured in another way; then `docs/eval.md`.
"""
