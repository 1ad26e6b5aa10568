"""Signals of what a question asks for and no part of the SQL does: a state, a rank, a second period, people."""
