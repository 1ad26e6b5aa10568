"""Collects what two queries compare: literals, columns that are compared with each other, and numbers of rows."""
