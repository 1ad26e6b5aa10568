"""The tenants' memory in PostgreSQL: a remembered answer for each scored event, read and judged with at each write.

Change this here when it concerns:

- what the service remembers, and for how long: `service/storage/remembering/`; then
  `tests/storage/test_remembering.py`, `docs/trust.md`
"""
