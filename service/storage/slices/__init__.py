"""Reads answers by slice: sums over their tables, columns, conditions, questions, versions and reasons.

Change this here when slices are read from other rows; then `docs/trust.md`.
"""
