"""Finds out what an expression comes to whatever the row: a constant, a fact, or the same as another one."""
