"""Proves that no database with a few rows a table tells two queries apart, by running both on rows of unknowns."""
