"""Tells a probe of the database (its catalogue, its session, whether it answers at all) from an answer about data.

Change this here when a query that only looks at the database is scored, or an answer counts as one.
"""
