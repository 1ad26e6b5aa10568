"""Signals of plain mistakes: what an expert sees in question and SQL together, whatever the database."""
