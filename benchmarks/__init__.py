"""Benchmarks that anybody can run and evaluate another judge on.

Change this here when a benchmark that others may run is added or moves.
"""
