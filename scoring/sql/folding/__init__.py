"""Finds out what an expression comes to whatever the row: a constant, a fact, or the same as another one.

Change this here when a fact that holds of an expression whatever the row is missing or wrong.
"""
