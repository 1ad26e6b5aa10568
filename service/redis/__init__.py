"""Redis: cached rules, shared budgets and replies. Nothing that cannot be had elsewhere.

Change this here when Redis is reached in another way, or holds something new; then `docs/connections.md`.
"""
