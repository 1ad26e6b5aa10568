"""Answers compared with their gold SQL by a configured model.

Change this here when `--with-reference`, `--judge` with a baseline, or
their table changes.
"""
