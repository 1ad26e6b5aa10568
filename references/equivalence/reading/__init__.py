"""Reads a query into the SQL that SQLite runs, or says why it cannot."""
