"""Runs both queries on many small databases and keeps one on which their results differ."""
