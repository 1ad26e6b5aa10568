"""Fills small databases with rows on which two queries are likely to differ.

Change this here when the small databases need other values or sizes; then a case in `tests/cases/equivalence.yaml`.
"""
