"""Review in PostgreSQL: what labels say together, what to label next, and what they teach about a tenant.

Change this here when it concerns:

- what to label next, and with which probability: `learning/review_draw.py` (which answers),
  `service/storage/reviewing/` (draws, leases); then `docs/api.md`, ADR 0042
"""
