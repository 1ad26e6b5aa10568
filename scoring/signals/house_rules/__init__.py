"""Signals about what an answer knows of the company: conditions, codes, columns and zones that its rules state.

Change this when rules state a new kind of thing, or an answer that knows the house is charged.
"""
