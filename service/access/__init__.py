"""Who may: tokens in force, sessions of the console, OpenID Connect, and proxies that log people in.

Change this here when it concerns:

- how people and programs log in: `service/access/` (who it is), `service/api/access.py` (what it may do),
  `service/settings/access_settings.py`; then `docs/login.md`, ADR 0046
"""
