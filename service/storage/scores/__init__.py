"""Evaluations in PostgreSQL: how they are written, scored again, listed and reported."""
