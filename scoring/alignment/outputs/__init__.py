"""Compares outputs, aggregates and groupings: those asked for with those that the SQL gives.

Change this here when columns, aggregates or groupings of question and SQL are paired in another way; then
`docs/method.md`.
"""
