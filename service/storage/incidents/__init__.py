"""Incidents in PostgreSQL: one for each fall of an agent, with its figures and its history."""
