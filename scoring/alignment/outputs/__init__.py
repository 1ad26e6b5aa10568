"""Compares outputs, aggregates and groupings: those asked for with those that the SQL gives."""
