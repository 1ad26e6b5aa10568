"""Tells a probe of the database (its catalogue, its session, whether it answers at all) from an answer about data."""
