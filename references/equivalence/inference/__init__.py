"""Infers a schema from two queries when none is given."""
