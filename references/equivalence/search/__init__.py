"""Runs both queries on many small databases and keeps one on which their results differ.

Change this here when trials come in another order, or a difference is confirmed otherwise.
"""
