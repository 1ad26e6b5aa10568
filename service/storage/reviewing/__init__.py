"""Review in PostgreSQL: what labels say together, what to label next, and what they teach about a tenant."""
