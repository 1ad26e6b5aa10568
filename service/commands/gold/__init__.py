"""Answers compared with their gold SQL: by running, by search and proof, and by a configured model.

Change this here when it concerns:

- how an answer is compared with its gold SQL: `service/commands/gold/comparing_answers.py`; then `docs/eval.md`
- where the tables of a case come from: `service/commands/gold/case_schemas.py`
- `--with-reference`, `--judge` with a baseline, or their table: `service/commands/gold/judge_names.py`; then
  `docs/gold-judges.md`
"""
