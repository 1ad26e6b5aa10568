"""The tenants' memory in PostgreSQL: a remembered answer for each scored event, read and judged with at each write."""
