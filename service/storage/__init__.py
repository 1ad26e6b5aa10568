"""PostgreSQL: the tables, their partitions, and one store for each port.

Change this here when it concerns:

- what PostgreSQL's URL may say, or how a pooler is served: `service/storage/libpq_url.py`,
  `service/storage/hosts.py`; `service/storage/pooler.py`; then `docs/connections.md`
- a stored column of an evaluation: `EvaluationRow` in `service/storage/tables/events.py` (its `Use` makes imports,
  lists and files); a revision in `migrations/versions/`; its value: a field of the line out (`scoring/record.py`), or
  `service/storage/scores/evaluation_rows.py`; in imports `service/commands/transfer/imported_lines.py`; then
  `tests/storage/column_kinds.py`
- how long answers are kept, or partitions: `service/storage/retention.py`, `service/storage/partitions.py`; then
  `docs/storage.md`
- what `sqlassay forget` removes: `service/storage/forgetting.py` (rows), `tests/storage/column_kinds.py` (what each
  column may hold), `service/storage/reviewer_names.py`, `service/pipeline/forget_subject.py` (Redis, dead letters,
  and what is said to stay); then `docs/commands.md`; `tests/storage/test_forgetting_names.py` plants a secret in
  every column
- which changes the audit log records, or how it is listed: `service/storage/audit.py` (the entries);
  `service/api/audit.py`, `service/commands/audit.py` and `service/console/audit_page.py` (the lists); then
  `docs/login.md`
"""
