"""Proves that two queries agree on all databases with a few rows per table, by running both on unknown rows."""
