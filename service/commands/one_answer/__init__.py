"""`sqlassay score -q … --sql …`: scores one answer, and loads nothing that only files of answers need.

Change this here when it concerns:

- what `sqlassay score` does with one answer: `service/commands/one_answer/`; then `docs/commands.md`, and what it may
  load in `tests/service/commands/test_cli.py`
"""
