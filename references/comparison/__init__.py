"""Compares an answer with a reference by running both.

Change this here when two results count as the same, or alternatives of a gold query are read, in another way.
"""
