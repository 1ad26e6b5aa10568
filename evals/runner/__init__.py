"""Runs a text-to-SQL agent over a benchmark: cases, checks of their answers, rates and comparisons. Pure."""
