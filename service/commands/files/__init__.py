"""Files of answers: reads and writes JSONL, CSV and Parquet, as the name's suffix says.

Change this here when it concerns:

- how `sqlassay score` reads and writes files: `service/commands/files/`; then `docs/commands.md`,
  `tests/service/commands/test_score_tables.py`
"""
