"""What the status page reads from PostgreSQL.

Change this here when it concerns:

- a figure of the status page: `service/storage/status/`; the page: `service/console/status_page.py`; then
  `tests/service/test_status_page.py`, `docs/console.md`
"""
