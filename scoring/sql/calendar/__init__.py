"""Reads dates: in any spelling, in any part, relative to now, and as the range that a comparison keeps.

Change this here when a date of SQL is read wrongly in some dialect; then a case in `tests/cases/sql/`.
"""
