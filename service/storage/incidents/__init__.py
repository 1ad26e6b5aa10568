"""Incidents in PostgreSQL: one for each fall of an agent, with its figures and its history.

Change this here when an incident holds other figures, words or history; then `docs/console.md`.
"""
