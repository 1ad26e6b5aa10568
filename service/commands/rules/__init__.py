"""`sqlassay rules` and `sqlassay schema`: what a tenant says about its questions and its database.

Change this here when a command about a tenant's rules or schema changes; then `docs/commands.md`.
"""
