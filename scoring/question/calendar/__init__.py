"""Reads times of a question: days, years, windows and periods, in any words.

Change this here when a spelling of a time in a question is read wrongly; then a case in `tests/cases/question/`.
"""
