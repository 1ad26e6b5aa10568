"""Reads answers by slice: sums over their tables, columns, conditions, questions, versions and reasons."""
