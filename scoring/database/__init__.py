"""What is known of the tenant's database, where the deployment says it: how the answer ran there, and its schema.

Change this here when it concerns:

- what an event's `result` or a tenant's schema says of an answer, and how much: `scoring/database/` (weights stand
  there, not in `scoring/weights.json`); then `docs/reasons.md`, `docs/trust.md`
"""
