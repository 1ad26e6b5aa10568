"""The agents' alarms in PostgreSQL.

Change this here when other answers count for an agent's alarm or rhythm; then `docs/operations.md`.
"""
