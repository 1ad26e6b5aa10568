"""Reads times of a question: days, years, windows and periods, in any words."""
